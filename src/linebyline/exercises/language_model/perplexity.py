"""language_model.perplexity: (losses, tokens) -> the perplexity of all texts, of which one line is at fault."""

import numpy as np

from linebyline.exercises.core import Answer, Code, Diagnose, Law, Rng, expect_close


def _by_hand(answer: Answer, rng: Rng) -> None:
    expect_close(answer(np.log([4.0, 2.0]), [1, 3]), 4**0.25 * 2**0.75, "one token at 4 and three at 2")


def _joined(answer: Answer, rng: Rng) -> None:
    surprises, tokens = rng.uniform(0, 5, size=17), [3, 2, 5, 7]
    losses = [part.mean() for part in np.split(surprises, np.cumsum(tokens)[:-1])]
    expect_close(answer(losses, tokens), np.exp(surprises.mean()), "17 tokens cut into texts of 3, 2, 5 and 7")


def _alike(answer: Answer, rng: Rng) -> None:
    losses = rng.uniform(0, 5, size=4)
    expect_close(answer(losses, [6, 6, 6, 6]), np.exp(losses.mean()), "four texts of 6 tokens each")


def _split(answer: Answer, rng: Rng) -> None:
    losses, tokens = rng.uniform(0, 5, size=3), rng.integers(1, 9, size=3)
    twice = answer(np.repeat(losses, 2), np.repeat(tokens, 2))
    expect_close(twice, answer(losses, tokens), "each text twice")


_SHARE = "share = np.full(len(counts), 1 / len(counts))  # (n,)"
_RIGHT_SHARE = "share = counts / counts.sum()  # (n,)"
_MEAN = "mean = share @ np.asarray(losses)"
_BROKEN = Code(
    """
def perplexity(losses, tokens):
    counts = np.asarray(tokens, dtype=float)  # (n,)
    share = np.full(len(counts), 1 / len(counts))  # (n,)
    mean = share @ np.asarray(losses)
    return np.exp(mean)
""",
    np=np,
)
_FIXED = _BROKEN.replace_line(_SHARE, _RIGHT_SHARE)


EXERCISE = Diagnose(
    id="language_model.perplexity",
    title="The perplexity of several texts",
    difficulty="medium",
    points=3,
    minutes=10,
    may_use="NumPy",
    laws=(
        Law("a case worked by hand", _by_hand),
        Law("texts that are joined give the perplexity of the whole", _joined),
        Law("texts of one length count alike", _alike),
        Law("texts given twice change nothing", _split),
    ),
    broken=_BROKEN,
    fixed=_FIXED,
    why=(
        "Every text counts alike here, a title as much as a chapter. The loss is a mean over tokens, so a text "
        "counts by how many it has."
    ),
    innocent={
        "counts = np.asarray(tokens, dtype=float)  # (n,)": "These are the numbers of tokens, as floats to divide.",
        _MEAN: "A weighted mean of the losses is right. Look at the weights.",
        "return np.exp(mean)": "The perplexity is the exponential of the mean loss: average first, as here.",
    },
    wrong_answers={
        "weighs by the counts without dividing": _BROKEN.replace_line(_SHARE, "share = counts  # (n,)"),
        "weighs by the roots of the counts": _BROKEN.replace_line(
            _SHARE, "share = counts**0.5 / (counts**0.5).sum()  # (n,)"
        ),
        "weighs short texts more": _BROKEN.replace_line(_SHARE, "share = (1 / counts) / (1 / counts).sum()  # (n,)"),
        "averages perplexities": _FIXED.replace_line(_MEAN, "mean = np.log(share @ np.exp(losses))"),
        "takes the loss to be in bits": _FIXED.replace_line("return np.exp(mean)", "return 2**mean"),
        "doubles for each text": _FIXED.replace_line(_MEAN, "mean = np.sum(losses)"),
    },
)
