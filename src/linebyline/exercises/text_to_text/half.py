"""text_to_text.half: the work of a decoder alone against that of an encoder and a decoder of half the blocks each."""

from linebyline.exercises.core import Predict, Rng

SOURCE, TARGET, BLOCKS = 90, 30, 12


def _work(rng: Rng) -> tuple[float, float]:
    """Add up, token by token, through how many blocks of how many weights it goes."""
    alone = sum(BLOCKS for _ in range(SOURCE + TARGET))
    both = sum(BLOCKS // 2 for _ in range(SOURCE)) + sum(BLOCKS // 2 for _ in range(TARGET))
    return alone / both, both / BLOCKS


EXERCISE = Predict(
    id="text_to_text.half",
    title="Equal weights, unequal work",
    difficulty="easy",
    points=2,
    minutes=10,
    may_use="a calculator",
    asks=("how many times as much work the decoder alone has", "tokens that go through 12 blocks for that of both"),
    compute=_work,
    within=0.005,
    wrong_answers={
        "As many weights are not as much work: through how many of its blocks does a token of the source go?": (1, 120),
        "The first is right. But every token of both stacks goes through 6 blocks, those of the target, too.": (2, 45),
        "The source is read by both: a decoder alone reads it as the beginning of its text.": (0.5, 60),
        "The tokens of the target do not go through the encoder, nor those of the source through the decoder.": (1, 60),
    },
)
