"""Claims on normalization: the norms themselves, and what depth does with them and without."""

from linebyline.claims.normalization import depth, norms

CLAIMS = (*norms.CLAIMS, *depth.CLAIMS)
