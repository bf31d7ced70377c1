"""Claims on positions that are added, and on the sinusoidal encoding."""

from clearformer.course.claims.positional_encoding import added, sinusoidal

CLAIMS = (*added.CLAIMS, *sinusoidal.CLAIMS)
