"""Claims on normalization: the norms themselves, and what depth does with them and without."""

# ruff: noqa: F401, I001 (imported to declare their claims, in the order of the table)
from linebyline.claims.normalization import norms, depth
