"""Claims on tokens: what is cut, into what, and by which rule."""

# ruff: noqa: F401, I001 (imported to declare their claims, in the order of the table)
from linebyline.claims.tokenization import subwords, merging
