"""Claims on positions that are added, and on the sinusoidal encoding."""

from linebyline.claims.positional_encoding import added, sinusoidal

CLAIMS = (*added.CLAIMS, *sinusoidal.CLAIMS)
