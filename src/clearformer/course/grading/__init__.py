"""Assigning and grading: what is handed out, and what becomes of what is handed in."""
