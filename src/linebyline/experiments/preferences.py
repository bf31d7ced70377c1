"""What DPO makes of an assistant with three styles, when full sentences are preferred: for several strengths beta.

Beside it, the assistant is tuned on the chosen answers alone, and DPO prefers what the assistant says anyway.
Preference, truth and KL divergence are measured on sampled answers to questions about people of whom no pair speaks.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any, cast

import torch

from clearformer import training
from clearformer.models import Decoder
from linebyline.assistant import chat, preference, tuning
from linebyline.assistant.model import base_model
from linebyline.assistant.preference import Preferences, Rule
from linebyline.assistant.reward import answers

from .small_decoders import rounded
from .studies import Facts, Progress, Study, Texts

SEEDS, BETAS, STEPS, EVERY, RATE, SAMPLES = 3, (0.05, 0.1, 0.5, 2.0), 160, 40, 3e-5, 4
CHOSEN_RATES = (3e-5, 1e-4, 3e-4)  # of tuning on the chosen answers alone
RULES: dict[str, Rule] = {
    "full sentence": preference.full_sentence,
    "usual": lambda answer, pair: not preference.full_sentence(answer, pair),
}


def settings() -> Iterator[dict[str, Any]]:
    """Return the settings, seed by seed."""
    for seed in range(SEEDS):
        yield from ({"beta": beta, "seed": seed} for beta in BETAS)
        yield from ({"chosen only": True, "rate": rate, "seed": seed} for rate in CHOSEN_RATES)
        yield {"beta": 0.1, "rule": "usual", "seed": seed}


def prepared(setting: Facts, texts: Texts | None = None) -> training.Trainer:
    """Make the trainer of the reference that a setting starts from."""
    return preference.styles_tuner(base_model(), seed=setting["seed"])


@cache
def started(seed: int, rule: str) -> tuple[list[float], Decoder, Preferences, Preferences]:
    """Make the reference of a seed, with preferences among its answers to train on, and others to measure on.

    The first losses of its tuning come with it.
    """
    run = prepared({"seed": seed})
    first = [rounded(run.run(1)[0]) for _ in range(3)]
    run.run(tuning.STEPS - 3)
    reference = cast(Decoder, run.model).eval()
    taught = preference.sampled_preferences(reference, chat.fact_pairs(chat.TAUGHT), RULES[rule], seed=seed)
    others = preference.sampled_preferences(reference, chat.NEW_FACTS, RULES[rule], seed=50 + seed)
    return first, reference, taught, others


@torch.no_grad()
def found(model: Decoder, reference: Decoder, beta: float, others: Preferences) -> dict[str, float]:
    """Measure a model against its reference: on held-out preferences, and on what it writes now."""
    moved = []  # by how much each answer has become more likely, in nats
    for answers_ in (others.chosen, others.rejected):
        read = others.rows(answers_)
        moved.append(preference.log_probs(model, read) - preference.log_probs(reference, read))
    chosen, rejected = moved
    facts = {"chosen": chosen.mean(), "rejected": rejected.mean(), "margin": beta * (chosen - rejected).mean()}
    facts["fell"] = (chosen < 0).float().mean()
    facts["ordered"] = (chosen > rejected).float().mean()
    wanted, right, right_wanted, nats, n = 0, 0, 0, 0.0, 0
    generator = torch.Generator().manual_seed(9)
    by_length: dict[int, list[chat.Pair]] = {}
    for pair in chat.NEW_FACTS[::2]:
        by_length.setdefault(len(pair.prompt()), []).append(pair)
    for pairs in by_length.values():
        sampled = answers(model, pairs, SAMPLES, generator, lambda ids, pair: float(pair.accepts(ids)), chat.LONGEST)
        now, then = (each.detach() for each in (sampled.log_probs(model)[0], sampled.log_probs(reference)[0]))
        nats += ((now - then) * sampled.counted).sum().item()
        rows = [ids[ids != 0].tolist() for ids in sampled.ids]
        repeated = [pair for pair in pairs for _ in range(SAMPLES)]
        full = [preference.full_sentence(ids, pair) for ids, pair in zip(rows, repeated, strict=True)]
        wanted += sum(full)
        right_wanted += sum(yes and reward == 1 for yes, reward in zip(full, sampled.rewards.flatten(), strict=True))
        right += int(sampled.rewards.sum())
        n += len(rows)
    facts_now = {"preferred": wanted / n, "right": right / n, "right of preferred": right_wanted / max(wanted, 1)}
    facts_now["kl"] = nats / n
    greedy = chat.accuracy(model, chat.NEW_FACTS)
    moved_by = {name: rounded(value.item()) for name, value in facts.items()}
    return moved_by | {name: rounded(value) for name, value in {**facts_now, "greedy": greedy}.items()}


def measure(setting: Facts, texts: Texts, device: str, progress: Progress) -> dict[str, Any]:
    """Train once, on the processor; every 40 steps the model is measured, as ``found`` says."""
    first, reference, taught, others = started(setting["seed"], setting.get("rule", "full sentence"))
    history: list[dict[str, float]] = []
    bar = iter(progress(range(STEPS + 1)))
    beta = setting.get("beta", 1.0)  # of the margin, which tuning on the chosen answers does not know

    def watch(step: int, model: Decoder) -> None:
        next(bar)
        if step % EVERY == 0:
            history.append(found(model, reference, beta, others))

    options = {"rate": setting.get("rate", RATE), "steps": STEPS, "seed": setting["seed"], "watch": watch}
    if "chosen only" in setting:
        preference.imitated(reference, taught, **options)
    else:
        preference.preferred(reference, taught, beta=beta, **options)
    list(bar)
    return {"first": first, "pairs": len(taught), "history": history}


RECIPE = {"steps": STEPS, "every": EVERY, "rate": RATE, "batch": preference.BATCH, "samples": SAMPLES}
STUDY = Study("preferences", RECIPE, list(settings()), lambda each: (STEPS + 1, 100), measure)
