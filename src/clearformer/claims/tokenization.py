"""Claims on tokens: what is cut, into what, and by which rule."""

from clearformer.claims import merging, subwords

CLAIMS = tuple(sorted((*subwords.CLAIMS, *merging.CLAIMS), key=lambda claim: claim.document))
