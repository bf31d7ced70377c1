"""encoder.parameters: the numbers of a small BERT, and the share that its table has of them."""

import torch

from clearformer.models import BertConfig, bert
from linebyline.exercises.core import Predict, Rng

CONFIG = BertConfig(d_model=256, n_heads=4, n_layers=4, d_ff=1024)


def _numbers(rng: Rng) -> tuple[int, float]:
    """Put it together without memory, and count."""
    with torch.device("meta"):
        model = bert(CONFIG)
    total = sum(parameter.numel() for parameter in model.parameters())
    table = dict(model.named_parameters())["embedding.table"].numel()
    return total, table / total


EXERCISE = Predict(
    id="encoder.parameters",
    title="A table with a model behind it",
    difficulty="easy",
    points=2,
    minutes=15,
    may_use="a calculator",
    asks=("parameters", "share of the token table"),
    compute=_numbers,
    within=0.01,
    wrong_answers={
        "That is the token table alone.": (7_813_632, 1.0),
        "These are the four blocks alone, without the tables.": (3_159_040, 0.7118),
        "A block has eight matrices' worth of numbers in its feed-forward layer, besides four in its attention.": (
            9_000_000,
            0.8682,
        ),
        "A block has four matrices' worth of numbers in its attention, besides eight in its feed-forward layer.": (
            10_050_000,
            0.7775,
        ),
        "The heads share the width: four of them have no more numbers than one.": (14_258_000, 0.548),
    },
)
