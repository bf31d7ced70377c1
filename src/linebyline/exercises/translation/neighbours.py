"""translation.neighbours: (ids (B, S), y (B, T, d), table, pad) -> scores (B, T, V), with a faulty line."""

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Answer, Code, Diagnose, Law, Rng, expect_close

PAD, V, D = 0, 9, 4


def _draw(rng: Rng, lengths: tuple[int, ...], T: int = 3) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    S = max(lengths)
    ids = np.where(np.arange(S) < np.array(lengths)[:, None], rng.integers(1, V, size=(len(lengths), S)), PAD)
    return ids, rng.normal(size=(len(lengths), T, D)), rng.normal(size=(V, D))


def _alone(ids: np.ndarray, y: np.ndarray, table: np.ndarray) -> np.ndarray:
    """The scores of one sentence without padding."""
    x = table[ids]
    x = F.scaled_dot_product_attention(x, x, x)[0]
    scores: np.ndarray = F.scaled_dot_product_attention(y, x, x)[0] @ table.T
    return scores


def _by_hand(answer: Answer, rng: Rng) -> None:
    ids, y, table = np.array([[1, 2], [2, 0]]), np.zeros((2, 1, 1)), np.array([[9.0], [0.0], [4.0]])
    weight = np.exp(16) / (1 + np.exp(16))  # of word 2 in the eyes of word 2; word 1 sees both alike
    first = (2 + 4 * weight) / 2
    expected = [[[9 * first, 0, 4 * first]], [[36, 0, 16]]]
    expect_close(answer(ids, y, table, 0), expected, "words of 0 and 4, padding of 9, queries of 0")


def _one_by_one(answer: Answer, rng: Rng) -> None:
    lengths = (5, 2, 3)
    ids, y, table = _draw(rng, lengths)
    got = np.asarray(answer(ids, y, table, PAD))
    for b, length in enumerate(lengths):
        expected = _alone(ids[b, :length], y[b], table)
        expect_close(got[b], expected, f"a sentence of {length} words beside others, against it alone")


def _wider(answer: Answer, rng: Rng) -> None:
    ids, y, table = _draw(rng, (4, 1))
    wider = np.pad(ids, ((0, 0), (0, 3)), constant_values=PAD)
    expect_close(answer(wider, y, table, PAD), answer(ids, y, table, PAD), "three more columns of padding")


def _same_length(answer: Answer, rng: Rng) -> None:
    ids, y, table = _draw(rng, (4, 4))
    expected = [_alone(*pair, table) for pair in zip(ids, y, strict=True)]
    expect_close(answer(ids, y, table, PAD), expected, "two sentences of four words, no padding")


def _other_padding(answer: Answer, rng: Rng) -> None:
    ids, y, table = _draw(rng, (3, 5))
    moved = np.where(ids == PAD, V, ids)
    longer = np.append(table, rng.normal(size=(1, D)), axis=0)
    got = np.asarray(answer(moved, y, longer, V))[..., :V]
    expect_close(got, answer(ids, y, table, PAD), "another id, and another vector, for padding")


_READ = "x, _ = F.scaled_dot_product_attention(x, x, x, real[:, :, None])"
_ASK = "y, _ = F.scaled_dot_product_attention(y, x, x, real[:, None])"
_REAL = "real = ids != pad  # (B, S)"
_EMBED = "x = table[ids]  # (B, S, d)"
_BROKEN = Code(
    """
def word_scores(ids, y, table, pad):
    real = ids != pad  # (B, S)
    x = table[ids]  # (B, S, d)
    x, _ = F.scaled_dot_product_attention(x, x, x, real[:, :, None])
    y, _ = F.scaled_dot_product_attention(y, x, x, real[:, None])
    return y @ table.T  # (B, T, V)
""",
    F=F,
    np=np,
)
_FIXED = _BROKEN.replace_line(_READ, "x, _ = F.scaled_dot_product_attention(x, x, x, real[:, None])")


EXERCISE = Diagnose(
    id="translation.neighbours",
    title="A translation that depends on its neighbours",
    difficulty="medium",
    points=3,
    minutes=15,
    may_use="NumPy and `F`",
    laws=(
        Law("a case worked by hand", _by_hand),
        Law("each sentence is what it is alone", _one_by_one),
        Law("more padding changes nothing", _wider),
        Law("sentences of one length", _same_length),
        Law("what padding is called changes nothing", _other_padding),
    ),
    broken=_BROKEN,
    fixed=_FIXED,
    why=(
        "The mask stands on the queries: the words of padding see nothing, and every real word sees the padding. "
        "To hide a word it must be hidden as a key, along the last axis."
    ),
    innocent={
        _REAL: "True where a word is one, whatever the id of padding is. That is what both layers need to know.",
        _EMBED: "Padding gets a vector, too. That does no harm while nobody looks at it.",
        _ASK: "The decoder asks, the words of the source are keys, and the mask runs along them, alike for each query.",
        "return y @ table.T  # (B, T, V)": "A row of scores for each position, by the same table. No source comes in.",
    },
    wrong_answers={
        "hides the padding from nobody": _BROKEN.replace_line(_READ, "x, _ = F.scaled_dot_product_attention(x, x, x)"),
        "hides the words and shows the padding": _BROKEN.replace_line(
            _READ, "x, _ = F.scaled_dot_product_attention(x, x, x, ~real[:, None])"
        ),
        "lets the words read forward only": _BROKEN.replace_line(
            _READ, "x, _ = F.scaled_dot_product_attention(x, x, x, np.tri(x.shape[1], dtype=bool) & real[:, None])"
        ),
        "sets the padding to zero before attention": _BROKEN.replace_line(
            _READ, "x, _ = F.scaled_dot_product_attention(*3 * (x * real[:, :, None],))"
        ),
        "lets a word or padding see padding by or": _BROKEN.replace_line(
            _READ, "x, _ = F.scaled_dot_product_attention(x, x, x, real[:, None] | real[:, :, None])"
        ),
        "leaves the layer out": _BROKEN.replace_line(_READ, "x = x * real[:, :, None]"),
        "gives padding a vector of zeros": _BROKEN.replace_line(_EMBED, "x = table[ids] * real[:, :, None]"),
        "lets the decoder see the padding": _FIXED.replace_line(_ASK, "y, _ = F.scaled_dot_product_attention(y, x, x)"),
        "takes padding to be 0": _FIXED.replace_line(_REAL, "real = ids != 0"),
        "lets the decoder ask itself": _FIXED.replace_line(_ASK, "y, _ = F.scaled_dot_product_attention(y, y, y)"),
    },
)
