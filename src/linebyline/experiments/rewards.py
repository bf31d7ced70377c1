"""What an assistant that adds badly learns from a rule that checks its sums: five ways to use the same samples.

Each run starts from an assistant of the same seed, samples 19,200 answers and makes 150 steps. A right answer has the
reward 1 and a wrong one 0, unless both are moved by a constant, or the check is one that can be deceived.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, cast

import torch

from clearformer.models import Decoder
from linebyline.assistant import chat, reward, tuning
from linebyline.assistant.chat import Pair
from linebyline.assistant.model import base_model
from linebyline.assistant.reward import ADVANTAGES, Answers
from linebyline.assistant.world import digits

from .small_decoders import rounded
from .studies import Facts, Progress, Study, Texts

SEEDS, KS, EVERY = 3, (1, 2, 4, 8, 16), 15
RATES = {"no baseline": (3e-4,), "mean of the batch": (3e-4,), "mean of the group": (3e-4,), "GRPO": (1e-4, 3e-4, 1e-3)}
ROUNDS, MOVED = (1, 5, 15), (-1, 1)
HEDGED = 12  # of the 80 sums in the pairs, when a check is to be deceived


def settings() -> Iterator[dict[str, Any]]:
    """Return the settings, seed by seed."""
    for seed in range(SEEDS):
        yield {"how": "start", "seed": seed}
        yield from ({"how": how, "rate": rate, "seed": seed} for how, rates in RATES.items() for rate in rates)
        yield from ({"how": "no baseline", "rate": 3e-4, "moved": moved, "seed": seed} for moved in MOVED)
        yield from ({"how": "rejection", "rounds": rounds, "rate": 5e-4, "seed": seed} for rounds in ROUNDS)
        yield {"how": "true answers", "rate": 1e-3, "seed": seed}
        yield from ({"how": "GRPO", "rate": 2e-4, "check": check, "seed": seed} for check in ("number", "strict"))


def hedging(pairs: Sequence[Pair]) -> list[Pair]:
    """Give some of the sums a second answer, such as *8 5 or 8 6*, so that there is something to find."""
    sums = [pair for pair in pairs if pair.kind == "sum"]
    hedged = {pair: f"{pair.answer[:-2]} or {digits(int(pair.value.replace(' ', '')) + 1)} ." for pair in sums[:HEDGED]}
    return [Pair(p.question, hedged.get(p, p.answer), p.value, p.kind) for p in pairs]


@cache
def started(seed: int, hedged: bool = False) -> Decoder:
    """Make the assistant that runs of a seed start from: its tuning stops when it gets one sum in three right."""
    pairs, checked = hedging(chat.PAIRS) if hedged else chat.PAIRS, chat.sum_pairs(77, 100)
    run = tuning.tuner(base_model().train(), pairs, rate=3e-4, seed=seed)
    for _ in range(tuning.STEPS // 10):
        run.run(10)
        model = cast(Decoder, run.model).eval()
        if chat.accuracy(model, checked) >= 1 / 3:
            break
        run.model.train()
    return model


def found(model: Decoder) -> dict[str, Any]:
    """Measure sums that are in no text, and facts of people of whom no pair speaks."""
    passed = reward.pass_at(model, chat.NEW_SUMS, KS)
    return {
        "pass": [rounded(passed[k]) for k in KS],
        "greedy": rounded(chat.accuracy(model, chat.NEW_SUMS)),
        "facts": rounded(chat.accuracy(model, chat.NEW_FACTS)),
    }


def _trained(setting: Facts, start: Decoder, progress: Progress) -> tuple[Decoder, list[list[float]]]:
    """Train by the way of a setting, and watch reward, rule, entropy, length and the groups of one reward."""
    how, seed, steps = setting["how"], setting["seed"], iter(progress(range(reward.STEPS)))
    history: list[list[float]] = []
    if how == "start":
        return start, []
    if how == "rejection":
        return reward.rejected(start, setting["rounds"], rate=setting["rate"], seed=seed), []
    if how == "true answers":
        options = {"rate": setting["rate"], "seed": seed, "steps": reward.STEPS, "batch": 128}
        return tuning.tuned(start, chat.sum_pairs(9, 2400), **options), []
    check = reward.number_anywhere if setting.get("check") == "number" else reward.strict
    gathered: list[list[float]] = []

    def watch(step: int, model: Decoder, sampled: Answers) -> None:
        next(steps)
        with torch.no_grad():
            _, entropy = sampled.log_probs(model)
        rewards, length = sampled.rewards, sampled.counted.sum(dim=1).float().mean()
        alike = (rewards.std(dim=1) == 0).float().mean()
        gathered.append([float(part) for part in (rewards.mean(), alike, entropy, length)])
        if (step + 1) % EVERY == 0:
            history.append([rounded(sum(part) / EVERY) for part in zip(*gathered[-EVERY:], strict=True)])

    moved = setting.get("moved", 0)
    longest = 32 if "check" in setting else reward.LONGEST
    model = reward.rewarded(
        start,
        ADVANTAGES[how],
        rate=setting["rate"],
        seed=seed,
        reward=lambda ids, pair: check(ids, pair) + moved,
        longest=longest,
        watch=watch,
    )
    return model, history


def measure(setting: Facts, texts: Texts, device: str, progress: Progress) -> dict[str, Any]:
    """Train once, on the processor.

    Returns:
        What the model can do, as ``found`` measures it, and for each 15 steps the mean reward, the fraction of groups
        with one reward, the entropy of a token in nats, and the length of an answer.
    """
    start = started(setting["seed"], "check" in setting)
    model, history = _trained(setting, start, progress)
    return {**found(model), "history": history}


RECIPE = {"steps": reward.STEPS, "questions": reward.QUESTIONS, "answers": reward.ANSWERS, "ks": list(KS)}
STUDY = Study("rewards", RECIPE, list(settings()), lambda each: (reward.STEPS, 200), measure)
