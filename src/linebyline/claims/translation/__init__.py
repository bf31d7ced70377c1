"""Claims on translation, in the order of the table."""

from linebyline.claims.translation import architecture, trained
