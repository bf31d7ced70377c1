"""llama.width: what shared keys and values pay for in the feed-forward layer."""

from linebyline.exercises.core import Predict, Rng
from linebyline.sizes import Sizes

D_MODEL, N_HEADS, N_KV_HEADS, D_FF = 4096, 32, 8, 11_008


def _width(rng: Rng) -> int:
    """Widen the layer by one until the model has as many parameters as it had."""
    wanted = Sizes(D_MODEL, 1, N_HEADS, N_HEADS, D_FF, 1).parameters
    d_ff = D_FF
    while Sizes(D_MODEL, 1, N_HEADS, N_KV_HEADS, d_ff, 1).parameters < wanted:
        d_ff += 1
    return d_ff


EXERCISE = Predict(
    id="llama.width",
    title="What sharing pays for",
    difficulty="easy",
    points=2,
    minutes=10,
    may_use="a calculator",
    asks=("the new width of the feed-forward layers",),
    compute=_width,
    within=0.01,
    wrong_answers={
        "Keys shrink, and so do values: both matrices are saved from.": 12_032,
        "A gated layer has three matrices, among which the saved weights are shared.": 14_080,
        "This is all of both matrices. A quarter of each is still there.": 13_739,
        "Queries and output keep their matrices: only keys and values have fewer heads.": 15_104,
        "What is saved has to go somewhere, or the model is smaller.": 11_008,
    },
)
