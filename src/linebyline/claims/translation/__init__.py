"""Claims on translation: what came before, how the two stacks are wired, and what the trained translator does."""

# ruff: noqa: F401, I001 (imported to declare their claims, in the order of the table)
from linebyline.claims.translation import recurrent, stacks, learned, written
