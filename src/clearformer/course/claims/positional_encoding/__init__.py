"""Claims on positions: whether attention needs them, where they enter, and the sinusoidal encoding."""

from clearformer.course.claims.positional_encoding import order, sinusoidal

CLAIMS = (*order.CLAIMS, *sinusoidal.CLAIMS)
