"""feed_forward.block_parameters: (d_model, d_ff) -> number of parameters of a block with all its biases."""

from clearformer.course.exercises.core import Answer, Law, Rng, Write, expect_equal


def _count(d_model: int, d_ff: int) -> int:
    attention = 4 * (d_model * d_model + d_model)
    layer = d_model * d_ff + d_ff + d_ff * d_model + d_model
    return attention + layer + 4 * d_model


def _count_by_hand(answer: Answer, rng: Rng) -> None:
    expect_equal(answer(1, 1), 16, "d_model=1, d_ff=1")


def _count_bert(answer: Answer, rng: Rng) -> None:
    expect_equal(answer(768, 3072), 7_087_872, "a block of BERT Base, d_model=768, d_ff=3072")


def _count_random(answer: Answer, rng: Rng) -> None:
    d_model, d_ff = (int(n) for n in rng.integers(2, 50, size=2))
    expect_equal(answer(d_model, d_ff), _count(d_model, d_ff), f"d_model={d_model}, d_ff={d_ff}")


EXERCISE = Write(
    id="feed_forward.block_parameters",
    title="Count a block",
    difficulty="easy",
    points=1,
    minutes=5,
    may_use="arithmetic",
    laws=(
        Law("the smallest block, counted by hand", _count_by_hand),
        Law("a block of BERT Base", _count_bert),
        Law("any two widths", _count_random),
    ),
    wrong_answers={
        "counts the matrices only": lambda d_model, d_ff: 4 * d_model**2 + 2 * d_model * d_ff,
        "forgets the norms": lambda d_model, d_ff: _count(d_model, d_ff) - 4 * d_model,
        "gives both biases of the layer the inner width": lambda d_model, d_ff: _count(d_model, d_ff) + d_ff - d_model,
        "takes d_ff to be four times d_model": lambda d_model, d_ff: _count(d_model, 4 * d_model),
    },
)
