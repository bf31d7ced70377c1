"""What assistants answer, item by item: with all bits and with four, and which of four sentences they find likely.

The chapter on evaluation computes scores and intervals from these runs. One seed fails at the sums, and is tuned for
twice as many steps, too.
"""

from collections.abc import Iterator, Sequence
from typing import Any, cast

from clearformer import training
from clearformer.models import Decoder
from linebyline.assistant import chat, choices, tuning
from linebyline.assistant.world import text_of

from . import answering
from .small_decoders import rounded
from .studies import Facts, Progress, Study, Texts

SEEDS, RATE, BITS = 5, 3e-4, 4
FAILED, LONGER = 4, 800  # the seed, and steps in which it does not fail
OPENING = 2  # tokens at the beginning of a sentence, whose price is that of its wording


def settings() -> Iterator[dict[str, Any]]:
    """Return the settings."""
    yield from ({"rate": RATE, "seed": seed} for seed in range(SEEDS))
    yield {"rate": RATE, "seed": FAILED, "steps": LONGER}


def prepared(setting: Facts, texts: Texts | None = None) -> training.Trainer:
    """Make the trainer of a setting."""
    return answering.prepared(setting)


def right(model: Decoder) -> dict[str, list[int]]:
    """Tell of each question about people and sums that no pair has whether it is answered right."""
    groups = {"facts": chat.NEW_FACTS, "sums": chat.NEW_SUMS}
    return {
        name: [
            int(pair.accepts(answer))
            for pair, answer in zip(pairs, chat.greedy(model, [p.prompt() for p in pairs]), strict=True)
        ]
        for name, pairs in groups.items()
    }


def shortened(scores: Sequence[float]) -> list[float]:
    """Round log-probabilities, as a record keeps them."""
    return [round(score, 2) for score in scores]


def measure(setting: Facts, texts: Texts, device: str, progress: Progress) -> dict[str, Any]:
    """Tune once, on the processor.

    Returns:
        The first losses, and which questions are answered right with all bits and with four. Runs of the usual length
        have what is written to the sums, too, and the log-probabilities of the four sentences of each choice: about the
        person, without their openings, and about others.
    """
    run = prepared(setting)
    losses = [run.run(1)[0] for _ in progress(range(answering.n_steps(setting)))]
    model = cast(Decoder, run.model).eval()
    found: dict[str, Any] = {
        "first": [rounded(loss) for loss in losses[:3]],
        "whole": right(model),
        "four bits": right(tuning.rounded_to(model, BITS)),
    }
    if "steps" in setting:
        return found
    items = choices.choices()
    return {
        **found,
        "written": [text_of(ids) for ids in chat.greedy(model, [pair.prompt() for pair in chat.NEW_SUMS])],
        "log_probs": [shortened(choices.log_probs(model, each)) for each in items],
        "after opening": [shortened(choices.log_probs_after(model, each, OPENING)) for each in items],
        "neutral": [shortened(choices.neutral_log_probs(model, each)) for each in items],
    }


RECIPE = {"steps": tuning.STEPS, "batch": tuning.BATCH, "choices": len(choices.choices())}
STUDY = Study("judged", RECIPE, list(settings()), lambda each: (answering.n_steps(each), 40), measure)
