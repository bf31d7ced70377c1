"""language_model.bits_per_byte: (perplexity, tokens, bytes) -> bits for a byte."""

import math

from clearformer.course.exercises.core import Answer, Law, Rng, Write, expect_close


def _bits_by_hand(answer: Answer, rng: Rng) -> None:
    expect_close(answer(8.0, 100, 300), 1, "perplexity 8 for each of 100 tokens, 300 bytes")
    expect_close(answer(1.0, 10, 40), 0, "perplexity 1: no surprise at all")


def _bits_of_bytes(answer: Answer, rng: Rng) -> None:
    expect_close(answer(256.0, 50, 50), 8, "a token for each byte, and all 256 alike")


def _bits_of_pairs(answer: Answer, rng: Rng) -> None:
    perplexity = float(rng.uniform(2, 20))
    expect_close(
        answer(perplexity**2, 50, 200),
        answer(perplexity, 100, 200),
        "two tokens read as one, with the square of the perplexity",
    )


EXERCISE = Write(
    id="language_model.bits_per_byte",
    title="From perplexity to bits per byte",
    difficulty="easy",
    points=1,
    minutes=10,
    may_use="NumPy",
    laws=(
        Law("cases worked by hand", _bits_by_hand),
        Law("a byte has eight bits", _bits_of_bytes),
        Law("joining tokens in pairs changes nothing", _bits_of_pairs),
    ),
    wrong_answers={
        "counts in nats": lambda perplexity, tokens, size: math.log(perplexity) * tokens / size,
        "gives bits per token": lambda perplexity, tokens, size: math.log2(perplexity),
        "bytes over tokens": lambda perplexity, tokens, size: math.log2(perplexity) * size / tokens,
        "takes no logarithm": lambda perplexity, tokens, size: perplexity * tokens / size,
        "takes the loss to be in the perplexity": lambda perplexity, tokens, size: (
            perplexity / math.log(2) * tokens / size
        ),
    },
)
