"""Everything the documents claim on attention, from scores to weights to output, and on its masks."""

from linebyline.claims.attention import computation, masking, scores, weights

CLAIMS = (*scores.CLAIMS, *weights.CLAIMS, *masking.CLAIMS, *computation.CLAIMS)
