"""Claims on tokens: what is cut, into what, and by which rule."""

from linebyline.claims.tokenization import merging, subwords

CLAIMS = tuple(sorted((*subwords.CLAIMS, *merging.CLAIMS), key=lambda claim: claim.document))
