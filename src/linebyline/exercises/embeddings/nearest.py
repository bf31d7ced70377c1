"""embeddings.nearest: (table (V, d), token, count) -> the ids of the most similar tokens; one line is at fault."""

import numpy as np

from linebyline.exercises.core import Answer, Code, Diagnose, Law, Rng, expect_close


def _nearest_by_hand(answer: Answer, rng: Rng) -> None:
    table = np.array([[1.0, 0.0], [9.0, 9.0], [0.5, 0.1], [-1.0, 0.0], [0.0, 1.0]])
    expect_close(answer(table, 0, 3), [2, 1, 4], "directions 0°, 45°, 11°, 180°, 90°: the three nearest to the first")


def _order(table: np.ndarray, token: int) -> list[int]:
    """All other tokens, one cosine after the other, the largest first."""
    cosine = [row @ table[token] / np.sqrt((row @ row) * (table[token] @ table[token])) for row in table]
    return [v for v in sorted(range(len(table)), key=lambda v: -cosine[v]) if v != token]


def _nearest_brute_force(answer: Answer, rng: Rng) -> None:
    table = rng.normal(size=(31, 5)) * rng.uniform(0.1, 9, size=(31, 1))
    for token in (4, 7, 30):
        expect_close(
            answer(table, token, 30), _order(table, token), "all others of 31 random tokens, most similar first"
        )


def _nearest_unit(answer: Answer, rng: Rng) -> None:
    table = rng.normal(size=(11, 5))
    table /= np.linalg.norm(table, axis=-1, keepdims=True)
    expect_close(answer(table, 3, 4), _order(table, 3)[:4], "the first four of 11 tokens of length 1")


def _nearest_lengths(answer: Answer, rng: Rng) -> None:
    table, lengths = rng.normal(size=(31, 5)), rng.uniform(0.1, 9, size=(31, 1))
    expect_close(answer(lengths * table, 2, 30), answer(table, 2, 30), "longer and shorter vectors, same directions")


def _nearest_twin(answer: Answer, rng: Rng) -> None:
    table = rng.normal(size=(7, 3))
    table[2] = table[5]
    expect_close(answer(table, 5, 1), [2], "a token with a double: the double, not itself")
    expect_close(answer(table, 2, 1), [5], "and the double's nearest")


_LENGTHS = "lengths = np.linalg.norm(table)"
_UNIT = "unit = table / lengths"
_COSINE = "cosine = unit @ unit[token]  # (V,)"
_ITSELF = "cosine[token] = -np.inf"
_SORT = "return np.argsort(-cosine)[:count]"
_BROKEN = Code(
    """
def nearest(table, token, count):
    lengths = np.linalg.norm(table)
    unit = table / lengths
    cosine = unit @ unit[token]  # (V,)
    cosine[token] = -np.inf
    return np.argsort(-cosine)[:count]
""",
    np=np,
)
_FIXED = _BROKEN.replace_line(_LENGTHS, "lengths = np.linalg.norm(table, axis=-1, keepdims=True)")


EXERCISE = Diagnose(
    id="embeddings.nearest",
    title="The most similar tokens",
    difficulty="medium",
    points=3,
    minutes=15,
    may_use="NumPy",
    laws=(
        Law("a case worked by hand", _nearest_by_hand),
        Law("equal to a search one by one", _nearest_brute_force),
        Law("tokens of length 1 are ranked right", _nearest_unit),
        Law("lengths do not matter", _nearest_lengths),
        Law("a token is not its own neighbour, its double is", _nearest_twin),
    ),
    broken=_BROKEN,
    fixed=_FIXED,
    why=(
        "This is one number, the root of all squares in the table, and dividing by it changes no order. "
        "Each row must be divided by its own length."
    ),
    innocent={
        _UNIT: "This divides by what it is given; each row could have a length of its own here.",
        _COSINE: "With vectors of length 1 these dot products are the cosines, one for each token.",
        _ITSELF: "The token itself would always come first: minus infinity puts it last.",
        _SORT: "This sorts from large to small, and takes as many as were asked for.",
    },
    wrong_answers={
        "divides columns, not rows": _BROKEN.replace_line(_LENGTHS, "lengths = np.linalg.norm(table, axis=0)"),
        "forgets that the lengths need a second axis": _BROKEN.replace_line(
            _LENGTHS, "lengths = np.linalg.norm(table, axis=-1)"
        ),
        "divides by the largest number": _BROKEN.replace_line(_LENGTHS, "lengths = np.abs(table).max()"),
        "divides by the token's length only": _BROKEN.replace_line(_LENGTHS, "lengths = np.linalg.norm(table[token])"),
        "divides by the sum of the components": _BROKEN.replace_line(
            _LENGTHS, "lengths = np.abs(table).sum(axis=-1, keepdims=True)"
        ),
        "ranks by the distance": _BROKEN.replace_line(
            _COSINE, "cosine = -np.linalg.norm(table - table[token], axis=-1)"
        ),
        "takes the size of the cosine, whatever its sign": _FIXED.replace_line(
            _COSINE, "cosine = np.abs(unit @ unit[token])"
        ),
        "counts the token itself": _FIXED.replace_line(_ITSELF, "cosine[token] = np.inf"),
        "drops the first of the list once more": _FIXED.replace_line(
            _SORT, "return np.argsort(-cosine)[1 : count + 1]"
        ),
        "gives the least similar": _FIXED.replace_line(_SORT, "return np.argsort(cosine)[1 : count + 1]"),
        "normalises the caller's table": _FIXED.replace_line(_UNIT, "table /= lengths; unit = table"),
    },
)
