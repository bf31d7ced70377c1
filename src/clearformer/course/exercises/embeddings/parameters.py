"""embeddings.parameters: (vocab_size, d_model, tied) -> int."""

import numpy as np

from clearformer.course.exercises.core import Answer, Law, Rng, Write, expect_close


def _parameters_by_hand(answer: Answer, rng: Rng) -> None:
    expect_close(answer(5, 3, False), 30, "vocab_size=5, d_model=3, two tables")
    expect_close(answer(5, 3, True), 15, "vocab_size=5, d_model=3, one table for both")


def _parameters_counted(answer: Answer, rng: Rng) -> None:
    for _ in range(3):
        vocab_size, d_model = (int(n) for n in rng.integers(2, 40, size=2))
        tables = np.zeros((2, vocab_size, d_model))
        expect_close(answer(vocab_size, d_model, False), tables.size, f"{vocab_size} tokens, width {d_model}, untied")
        expect_close(answer(vocab_size, d_model, True), tables[0].size, f"{vocab_size} tokens, width {d_model}, tied")


EXERCISE = Write(
    id="embeddings.parameters",
    title="What tying saves",
    difficulty="easy",
    points=1,
    minutes=5,
    may_use="arithmetic",
    laws=(
        Law("a case worked by hand", _parameters_by_hand),
        Law("as many as the tables have entries", _parameters_counted),
    ),
    wrong_answers={
        "counts one table in either case": lambda v, d, tied: v * d,
        "counts two tables in either case": lambda v, d, tied: 2 * v * d,
        "has it the wrong way round": lambda v, d, tied: v * d * (2 if tied else 1),
        "halves the width instead": lambda v, d, tied: v * (d // 2 if tied else d),
        "adds a bias for each token": lambda v, d, tied: v * d * (1 if tied else 2) + v,
        "adds rows and columns": lambda v, d, tied: (v + d) * (1 if tied else 2),
    },
)
