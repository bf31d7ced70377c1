"""multi_head_attention.shared: what shared keys and values leave of the cache and of the parameters."""

from linebyline.exercises.core import Predict, Rng

D_MODEL, HEADS, SHARED = 64, 8, 2


def _sizes(n_kv_heads: int, tokens: int) -> tuple[int, int]:
    """Count the numbers in the cache after some tokens, and the parameters."""
    import torch  # not before: the other exercises of the chapter do without it

    from clearformer.nn import MultiHeadAttention

    generator = torch.Generator().manual_seed(0)
    attention = MultiHeadAttention(D_MODEL, HEADS, n_kv_heads, generator=generator)
    with torch.no_grad():
        _, cache = attention.extend(torch.zeros(tokens, D_MODEL))
    return cache.k.numel() + cache.v.numel(), sum(p.numel() for p in attention.parameters())


def _shares(rng: Rng) -> tuple[float, float]:
    tokens = int(rng.integers(2, 9))
    (cache, parameters), (full_cache, full_parameters) = (_sizes(n, tokens) for n in (SHARED, HEADS))
    return cache / full_cache, parameters / full_parameters


EXERCISE = Predict(
    id="multi_head_attention.shared",
    title="What sharing saves",
    difficulty="easy",
    points=2,
    minutes=5,
    may_use="pen and paper",
    asks=("share of the cache", "share of the parameters"),
    compute=_shares,
    within=0.01,
    wrong_answers={
        "The cache is right. But the queries keep all their heads, and so does the output matrix.": (1 / 4, 1 / 4),
        "The cache is right. But keys and values still have matrices, if narrower ones.": (1 / 4, 1 / 2),
        "The parameters are right. But a cache holds no queries: all of it shrinks.": (5 / 8, 5 / 8),
        "Four heads of queries share one head, and the cache keeps the two shared heads, not one.": (1 / 8, 9 / 16),
        "Keys shrink and values do, too: count both in the parameters.": (1 / 4, 13 / 16),
    },
)
