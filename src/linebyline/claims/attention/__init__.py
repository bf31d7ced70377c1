"""Claims on attention, in the order of the table."""

from linebyline.claims.attention import formula, masks
