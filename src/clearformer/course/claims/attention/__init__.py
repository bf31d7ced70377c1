"""Everything the documents claim on attention, from scores to weights to output, and on its masks."""

from clearformer.course.claims.attention import computation, masking, scores, weights

CLAIMS = (*scores.CLAIMS, *weights.CLAIMS, *masking.CLAIMS, *computation.CLAIMS)
