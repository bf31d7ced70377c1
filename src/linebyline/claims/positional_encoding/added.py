"""Claims on positions that are added: whether they matter, and whether they are added at all."""

from functools import partial

import numpy as np

from clearformer import functional as F
from linebyline.claims.core import Claim, difference

_claim = partial(Claim, topic="positional_encoding")


def _matters() -> str:
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=(3, 4)), rng.normal(size=(4, 4))  # Dan, loves, icecream
    both = [F.relu(y @ w).mean(axis=0) for y in (x, x[::-1])]
    marked = [F.relu((y + F.sinusoidal_encoding(3, 4)) @ w).mean(axis=0) for y in (x, x[::-1])]
    apart = np.abs(marked[0] - marked[1]).max()
    return (
        f"three words and their reverse, mean over tokens: {difference(np.abs(both[0] - both[1]).max())}; "
        f"with sines {apart:.2f}"
    )


def _added() -> str:
    x = np.zeros((4, 8))
    added = np.linalg.norm(x + F.sinusoidal_encoding(4, 8), axis=-1)
    turned = np.linalg.norm(F.rotary_encoding(x, np.arange(4)), axis=-1)
    return f"length of an empty embedding afterwards: sinusoidal {added.max():.0f}, rotary {turned.max():.0f}"


CLAIMS = (
    _claim(
        id="000.position-matters",
        document="000",
        section="sec-bag",
        statement="The positional encoding is a very important part.",
        verdict="holds",
        finding="Without it a sum over tokens gives a sentence and its reverse the same result.",
        measure=_matters,
    ),
    _claim(
        id="002.added-to-embeddings",
        document="002",
        section="sec-learned",
        statement="The encoding is added to the embeddings.",
        verdict="depends",
        finding="Sinusoidal and learned vectors are. RoPE rotates queries and keys, ALiBi changes scores.",
        measure=_added,
    ),
)
