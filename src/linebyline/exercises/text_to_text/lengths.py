"""text_to_text.lengths: how many tokens are read and written when spans of a long text are hidden."""

import torch

from clearformer.training import hidden_spans, hide_spans
from linebyline.exercises.core import Predict, Rng

N, FIRST = 512, 1000


def _lengths(rng: Rng) -> tuple[int, int]:
    """Hide spans of a text, and count."""
    generator = torch.Generator().manual_seed(int(rng.integers(2**31)))
    ids = torch.from_numpy(rng.integers(FIRST, size=N))
    inputs, targets = hide_spans(ids, hidden_spans(N, generator=generator), range(FIRST, FIRST + 100))
    return len(inputs), len(targets)


EXERCISE = Predict(
    id="text_to_text.lengths",
    title="What is left of a text",
    difficulty="easy",
    points=2,
    minutes=10,
    may_use="a calculator",
    asks=("tokens that are read", "tokens that are written"),
    compute=_lengths,
    within=0.002,
    wrong_answers={
        "The second is right. But for each span a sentinel stays in what is read.": (435, 104),
        "The first is right. But a sentinel stands before each span that is written, too, and one behind the last.": (
            461,
            77,
        ),
        "Nearly: one more sentinel ends what is written, so that nobody waits for another span.": (461, 103),
        "A sentinel stands for a span, not for a token: it is no mask.": (512, 77),
        "Where a token is hidden is not marked by as many sentinels: there is one for each span.": (512, 155),
    },
)
