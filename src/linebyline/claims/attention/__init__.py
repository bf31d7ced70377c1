"""Everything the documents claim on attention, from scores to weights to output, and on its masks."""

# ruff: noqa: F401, I001 (imported to declare their claims, in the order of the table)
from linebyline.claims.attention import scores, weights, masking, computation
