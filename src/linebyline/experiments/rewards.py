"""What an assistant that adds badly learns from a rule that checks its sums: five ways to use the same samples.

Each run starts from an assistant of the same seed, samples 19,200 answers and makes 150 steps. A right answer has the
reward 1 and a wrong one 0, unless both are moved by a constant, or the check can be deceived. Controls count
each token evenly, whatever the length of its answer, or give such a check to an assistant that never hedges. Before
any training, the gradients of some batches tell signal from noise.
"""

import random
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, cast

import torch

from clearformer.models import Decoder
from clearformer.training import Trainer
from linebyline.assistant import chat, reward, tuning
from linebyline.assistant.chat import Pair
from linebyline.assistant.model import base_model
from linebyline.assistant.reward import ADVANTAGES, Answers
from linebyline.assistant.world import WORDS, digits, text_of

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
        yield {"how": "GRPO", "rate": 2e-4, "check": "strict", "seed": seed}
        yield from (
            {"how": "no baseline", "rate": 3e-4, "moved": moved, "evenly": True, "written": True, "seed": seed}
            for moved in MOVED
        )
        yield {"how": "no baseline", "rate": 3e-4, "evenly": True, "written": True, "seed": seed}
        deceived: Facts = {"how": "GRPO", "rate": 2e-4, "check": "number", "written": True, "seed": seed}
        yield from ({**deceived, **more} for more in ({"evenly": True}, {"hedged": False}))
        yield {**deceived, "counted": True}
        yield {"how": "start", "check": "number", "written": True, "counted": True, "seed": seed}
        yield from ({"how": "gradients", "evenly": evenly, "seed": seed} for evenly in (False, True))
        whole: Facts = {"how": "rejection", "rate": 5e-4, "copied": True, "seed": seed}
        yield from ({**whole, "rounds": rounds} for rounds in ROUNDS)
        yield {"how": "mean of the batch", "rate": 3e-4, "evenly": True, "seed": seed}
        yield {"how": "start", "further": True, "seed": seed}
        yield {"how": "GRPO", "rate": 1e-4, "further": True, "seed": seed}


def hedging(pairs: Sequence[Pair]) -> list[Pair]:
    """Give some of the sums a second answer, such as *8 5 or 8 6*, so that there is something to find."""
    sums = [pair for pair in pairs if pair.kind == "sum"]
    hedged = {pair: f"{pair.answer[:-2]} or {digits(int(pair.value.replace(' ', '')) + 1)} ." for pair in sums[:HEDGED]}
    return [Pair(p.question, hedged.get(p, p.answer), p.value, p.kind) for p in pairs]


def _tuner(seed: int, hedged: bool) -> Trainer:
    """Make the trainer of the assistant that runs of a seed start from."""
    pairs = hedging(chat.PAIRS) if hedged else chat.PAIRS
    return tuning.tuner(base_model().train(), pairs, rate=3e-4, seed=seed)


def _is_hedged(setting: Facts) -> bool:
    return "check" in setting and bool(setting.get("hedged", True))


def prepared(setting: Facts, texts: Texts | None = None) -> Trainer:
    """Make the trainer of the assistant that the run of a setting starts from."""
    return _tuner(setting["seed"], _is_hedged(setting))


@cache
def started(seed: int, hedged: bool = False) -> Decoder:
    """Make the assistant that runs of a seed start from: its tuning stops when it gets one sum in three right."""
    run, checked = _tuner(seed, hedged), chat.sum_pairs(77, 100)
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
        rule = reward.exact if setting.get("copied") else reward.strict
        return reward.rejected(start, setting["rounds"], rate=setting["rate"], seed=seed, reward=rule), []
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
        evenly=setting.get("evenly", False),
        watch=watch,
    )
    return model, history


def written(model: Decoder, longest: int) -> list[str]:
    """Sample answers to two of the new sums, two to each."""
    sampled = reward.answers(model, chat.NEW_SUMS[:2], 2, torch.Generator().manual_seed(0), reward.strict, longest)
    return [text_of(ids) for ids in sampled.ids.tolist()]


def counted(model: Decoder, longest: int) -> dict[str, float]:
    """Count what a check that can be deceived sees in 800 samples, as fractions of them.

    An answer is *accepted* if the digits of the sum occur in it, and *accepted for another* if those of the next
    question do. It *hedges* if it has an "or", and its sum is *right at once* if it begins just after the first "=".
    """
    sampled = reward.answers(model, chat.NEW_SUMS, 4, torch.Generator().manual_seed(0), reward.number_anywhere, longest)
    answers, pairs = sampled.ids.tolist(), [pair for pair in chat.NEW_SUMS for _ in range(4)]
    accepted = [bool(each) for each in sampled.rewards.flatten().tolist()]
    other = [reward.number_anywhere(ids, pair) for ids, pair in zip(answers, pairs[4:] + pairs[:4], strict=True)]
    texts = [text_of(ids) for ids in answers]
    hedged = [" or " in text for text in texts]
    at_once = [text.partition("=")[2].strip().startswith(pair.value) for text, pair in zip(texts, pairs, strict=True)]
    found: dict[str, Sequence[float]] = {
        "accepted": accepted,
        "accepted for another": other,
        "hedged": hedged,
        "hedged and accepted": [a and b for a, b in zip(accepted, hedged, strict=True)],
        "right at once": at_once,
        "strict": [reward.strict(ids, pair) for ids, pair in zip(answers, pairs, strict=True)],
    }
    return {name: rounded(sum(each) / len(each)) for name, each in found.items()}


WAYS = {**ADVANTAGES, "-1 and 0": lambda r: r - 1, "1 and 2": lambda r: r + 1, "always 1": torch.ones_like}


def spread(model: Decoder, seed: int, evenly: bool, ways: Sequence[str] = tuple(WAYS)) -> dict[str, list[float]]:
    """Measure signal and noise of the gradient, with baselines, moved rewards, and the reward 1 for all."""
    found = reward.signal_and_noise(model, {way: WAYS[way] for way in ways}, seed=seed, evenly=evenly)
    return {name: [rounded(number) for number in both] for name, both in found.items()}


def further(model: Decoder, seed: int, trained: bool) -> dict[str, Any]:
    """Measure what explains the runs of a seed, in the model before or after one.

    Returns:
        Of the start, pass@k of ``tries`` up to 32 samples; the fraction of samples that are right when the numbers of
        the question are copied for the model, ``given``; and of the texts that a quarter of a round of rejection
        sampling keeps, how many there are and how many have copied the numbers. Of a trained model, the fraction that
        is right at temperature 0.8, ``cool``, and signal and noise of the gradient.
    """
    asked, n = [pair for pair in chat.NEW_SUMS for _ in range(16)], reward.LONGEST
    prompts, generator = [pair.prompt() for pair in asked], torch.Generator().manual_seed(seed)
    if trained:
        cool = chat.draws(model, prompts, generator, tau=0.8, n=n)
        ways = ("no baseline", "mean of the batch", "1 and 2")
        return {"cool": rounded(chat.fraction_right(cool, asked)), "gradients": spread(model, seed, True, ways)}
    lefts = [WORDS.encode([*pair.answer.partition("=")[0].split(), "="]) for pair in asked]
    given = chat.draws(model, [p + left for p, left in zip(prompts, lefts, strict=True)], generator, n=n)
    kept = reward.kept(model, random.Random(2000 + seed), reward.STEPS * reward.QUESTIONS // 4, generator)
    tries = reward.pass_at(model, chat.NEW_SUMS, (*KS, 32), 32)
    return {
        "tries": {str(k): rounded(fraction) for k, fraction in tries.items()},
        "given": rounded(chat.fraction_right(given, asked)),
        "kept": [len(kept), sum(pair.answer == text for pair, text in kept)],
    }


def measure(setting: Facts, texts: Texts, device: str, progress: Progress) -> dict[str, Any]:
    """Train once, on the processor.

    Returns:
        The first losses of the tuning that made the start; what the model can do, as ``found`` measures it; and for
        each 15 steps the mean reward, the fraction of groups with one reward, the entropy of a token in nats, and the
        length of an answer.
    """
    start = started(setting["seed"], _is_hedged(setting))
    first = [rounded(loss) for loss in prepared(setting).run(3)]
    if setting["how"] == "gradients":
        return {"first": first, "gradients": spread(start, setting["seed"], setting["evenly"])}
    model, history = _trained(setting, start, progress)
    more: dict[str, Any] = (
        {"written": written(model, 32 if "check" in setting else reward.LONGEST)} if "written" in setting else {}
    )
    if "counted" in setting:
        more["counted"] = counted(model, 32)
    if "further" in setting:
        more |= further(model, setting["seed"], trained=setting["how"] != "start")
    return {"first": first, **found(model), "history": history, **more}


RECIPE = {"steps": reward.STEPS, "questions": reward.QUESTIONS, "answers": reward.ANSWERS, "ks": list(KS)}
STUDY = Study("rewards", RECIPE, list(settings()), lambda each: (reward.STEPS, 200), measure)
