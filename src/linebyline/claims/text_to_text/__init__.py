"""Claims on text to text: what T5 is, and what the kinds of stacks are for."""

from linebyline.claims.text_to_text.kinds import CLAIMS

__all__ = ["CLAIMS"]
