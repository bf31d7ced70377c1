"""feed_forward.block_parameters: the parameters of a block with a gate and shared keys."""

from math import prod

from linebyline.exercises.core import Predict, Rng

D_MODEL, D_FF, N_HEADS, N_KV_HEADS = 4096, 14_336, 32, 8


def _millions(rng: Rng) -> float:
    """Add up all tensors of a block of Llama 3 8B."""
    shared = (D_MODEL, D_MODEL // N_HEADS * N_KV_HEADS)
    attention = [(D_MODEL, D_MODEL), shared, shared, (D_MODEL, D_MODEL)]
    feed_forward = [(D_MODEL, D_FF), (D_MODEL, D_FF), (D_FF, D_MODEL)]
    norms = [(1, D_MODEL), (1, D_MODEL)]
    return sum(prod(shape) for shape in attention + feed_forward + norms) / 1e6


EXERCISE = Predict(
    id="feed_forward.block_parameters",
    title="Count a block",
    difficulty="easy",
    points=2,
    minutes=10,
    may_use="a pocket calculator",
    asks=("millions of parameters",),
    compute=_millions,
    within=0.01,
    wrong_answers={
        "A gated layer has three matrices, not two.": 159.4,
        "This gives every query head keys and values of its own, but four of them share.": 243.3,
        "This is the formula of the chapter, for a plain layer four times as wide as the model.": 201.4,
        "These are the feed-forward matrices alone; attention has four more.": 176.2,
        "Queries and output have a matrix each as large as in any attention; only keys and values shrink.": 193.0,
    },
)
