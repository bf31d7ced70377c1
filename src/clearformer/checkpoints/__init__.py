"""Weights as other libraries name them: one table of names for each model, which tests and loading share."""
