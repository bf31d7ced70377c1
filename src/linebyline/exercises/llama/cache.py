"""llama.cache: how large the cache of a 70B model grows, and when it is as large as the weights."""

import torch

from clearformer.nn import KeyValueCache
from linebyline.exercises.core import Predict, Rng

N_LAYERS, N_KV_HEADS, D_K, TOKENS = 80, 8, 128, 131_072
WEIGHTS = 70.6e9 / 2  # bytes, at four bits a weight


def _gib_and_tokens(rng: Rng) -> tuple[float, float]:
    """Make the cache of a token, of shapes only, and count its bytes."""
    shape = (N_KV_HEADS, 1, D_K)
    k, v = (torch.empty(shape, dtype=torch.bfloat16, device="meta") for _ in range(2))
    held = KeyValueCache(k, v)
    a_token = N_LAYERS * (held.k.nbytes + held.v.nbytes)
    return TOKENS * a_token / 2**30, WEIGHTS / a_token / 1000


EXERCISE = Predict(
    id="llama.cache",
    title="The cache of a large model",
    difficulty="easy",
    points=2,
    minutes=10,
    may_use="a calculator",
    asks=("GiB of cache", "thousands of tokens whose cache is as large as the weights"),
    compute=_gib_and_tokens,
    within=0.02,
    wrong_answers={
        "The keys are there. The values are kept as well.": (20, 215.4),
        "That many heads ask. Only those of keys and values are kept.": (320, 13.47),
        "A number of the cache has two bytes; the four bits are those of the weights.": (10, 430.9),
        "This is one block. Each of the 80 keeps keys and values of its own.": (0.5, 8618),
        "The first is right. At four bits a weight two weights share a byte.": (40, 215.5),
        "The first is right. A weight has four bits here, not two bytes.": (40, 430.9),
    },
)
