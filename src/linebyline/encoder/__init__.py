"""Experiments of the chapter on the encoder: two sides, few labels, and what can be read from its states."""
