"""Assignments: hand-outs, submissions, judging in isolation, and the gradebook."""
