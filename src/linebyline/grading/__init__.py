"""Assignments: what hands them out, runs what came back, and gives points."""
