"""Experiments of the chapter on the encoder: two sides, few labels, who uses whom, and what its states contain."""
