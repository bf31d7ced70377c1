"""translation.exposure: what a small share of wrong words does to whole sentences."""

from linebyline.exercises.core import Predict, Rng

WORDS, RIGHT, AFTER_A_MISTAKE = 20, 0.99, 0.5


def _shares(rng: Rng) -> tuple[float, float]:
    """Follow the share of sentences without a mistake, word by word."""
    flawless, right = 1.0, 0.0
    for _ in range(WORDS):
        right += flawless * RIGHT + (1 - flawless) * AFTER_A_MISTAKE
        flawless *= RIGHT
    return flawless, right / WORDS


EXERCISE = Predict(
    id="translation.exposure",
    title="One word in a hundred",
    difficulty="easy",
    points=2,
    minutes=10,
    may_use="a calculator",
    asks=("share of translations without a mistake", "share of words that are right"),
    compute=_shares,
    within=0.01,
    wrong_answers={
        "That is the share of words while the past is right. A sentence has twenty chances to go wrong.": (0.99, 0.99),
        "The first is right. But from the first mistake on, half of the words are wrong.": (0.818, 0.99),
        "The first is right. But a sentence with a mistake has many right words, above all before it.": (0.818, 0.818),
        "The first is right. But only the words behind a mistake are right by half, not all of its sentence.": (
            0.818,
            0.909,
        ),
        "Chances of independent events multiply: twenty times a hundredth counts some sentences twice.": (0.8, 0.8),
    },
)
