"""What DPO makes of an assistant with three styles, when full sentences are preferred: for several strengths beta.

Beside it, the assistant is tuned on the chosen answers alone, and DPO prefers what the assistant says anyway.
What the models write is measured on questions about people of whom no pair speaks. How likely a right answer is, and
one that begins with a name, is computed; the errors are told apart among sampled answers.
"""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any, cast

import torch

from clearformer import training
from clearformer.models import Decoder
from linebyline.assistant import chat, preference, tuning
from linebyline.assistant.model import base_model
from linebyline.assistant.preference import Preferences, Rule

from .small_decoders import rounded
from .studies import Facts, Progress, Study, Texts

SEEDS, BETAS, STEPS, FEWER, EVERY, RATE, SAMPLES = 3, (0.1, 0.5, 2.0), 160, 80, 20, 3e-5, 8
BETA = 0.1  # where one is enough
#: After how many steps the computed numbers are noted, for each rate.
FINELY = {3e-5: 20, 1e-4: 4, 3e-4: 2}
#: The rates of tuning on the chosen answers alone, and the steps after which all of them write these.
CHOSEN_RATES = {3e-5: STEPS, 1e-4: FEWER, 3e-4: FEWER}
#: Rates at which DPO is trained for fewer steps, to be compared with the chosen answers alone at equal rates.
HIGHER_RATES, QUICK = (1e-4, 3e-4), 40
#: The questions that the models answer.
ASKED = chat.NEW_FACTS[::2]
RULES: dict[str, Rule] = {
    "full sentence": preference.full_sentence,
    "usual": lambda answer, pair: not preference.full_sentence(answer, pair),
}


def settings() -> Iterator[dict[str, Any]]:
    """Return the settings, seed by seed."""
    for seed in range(SEEDS):
        yield from ({"beta": beta, "seed": seed} for beta in BETAS)
        yield {"beta": BETA, "rule": "usual", "seed": seed}
        yield {"beta": BETA, "rule": "usual", "anchor": 1.0, "seed": seed}
        for rate, steps in CHOSEN_RATES.items():
            yield {"chosen only": True, "rate": rate, "steps": steps, "seed": seed}
            yield {"chosen only": True, "filtered": True, "rate": rate, "steps": steps, "seed": seed}
        yield {"beta": BETA, "filtered": True, "steps": FEWER, "seed": seed}
        yield from ({"beta": BETA, "rate": rate, "steps": QUICK, "seed": seed} for rate in HIGHER_RATES)


def prepared(setting: Facts, texts: Texts | None = None) -> training.Trainer:
    """Make the trainer of the reference that a setting starts from."""
    return preference.styles_tuner(base_model(), seed=setting["seed"])


@cache
def reference_of(seed: int) -> tuple[list[float], Decoder]:
    """Make the reference of a seed; the first losses of its tuning come with it."""
    run = prepared({"seed": seed})
    first = [rounded(run.run(1)[0]) for _ in range(3)]
    run.run(tuning.STEPS - 3)
    return first, cast(Decoder, run.model).eval()


@cache
def preferences_of(seed: int, rule: str) -> tuple[Preferences, Preferences]:
    """Collect preferences among the answers of a reference: some to train on, and others to measure on."""
    reference = reference_of(seed)[1]
    taught = preference.sampled_preferences(reference, chat.fact_pairs(chat.TAUGHT), RULES[rule], seed=seed)
    return taught, preference.sampled_preferences(reference, chat.NEW_FACTS, RULES[rule], seed=50 + seed)


def token_log_probs(model: Decoder, read: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
    """Compute the log-probability of each token of answers, and 0 elsewhere."""
    inputs, targets = read
    counted = targets != training.IGNORE_INDEX
    of_targets: torch.Tensor = (
        model(inputs).log_softmax(dim=-1).gather(-1, targets.where(counted, 0)[..., None]).squeeze(-1)
    )
    return of_targets.where(counted, 0)


def moved(model: Decoder, reference: Decoder, beta: float, pairs: Preferences) -> dict[str, float]:
    """Measure by how many nats the two answers of pairs have become more likely."""
    facts, changes = {}, []
    for name, answers in (("chosen", pairs.chosen), ("rejected", pairs.rejected)):
        read = pairs.rows(answers)
        change = token_log_probs(model, read) - token_log_probs(reference, read)  # (n, T)
        changes.append(change.sum(dim=1))
        facts[name] = changes[-1].mean()
    chosen, rejected = changes
    facts["margin"] = beta * (chosen - rejected).mean()
    facts["fell"], facts["ordered"] = (chosen < 0).float().mean(), (chosen > rejected).float().mean()
    for name, of_style in (("chosen of one word", is_short), ("chosen with I think", is_unsure)):
        picked = torch.tensor([of_style(answer) for answer in pairs.chosen])
        if picked.any():
            facts[name] = chosen[picked].mean()
    return {name: short(value.item()) for name, value in facts.items()}


def short(number: float) -> float:
    """Return a number with four digits."""
    return float(f"{number:.4g}")


def is_short(answer: str) -> bool:
    """Tell whether an answer is one word and a full stop."""
    return len(answer.split()) == 2


def is_unsure(answer: str) -> bool:
    """Tell whether an answer begins with *I think*."""
    return answer.startswith("I think")


def computed(model: Decoder) -> dict[str, float]:
    """Compute how likely an answer is to be right, to begin with a name, and to be right if it does."""
    chances = preference.chances(model, ASKED)
    facts = {"right": chances.right, "named": chances.named, "right of named": chances.both / chances.named}
    return {name: short(number) for name, number in {**facts, "unsure": chances.unsure}.items()}


def written(model: Decoder, right: float, seed: int) -> dict[str, float]:
    """Sample answers, and measure what is wrong in them.

    The fraction of right answers is known; the rest is divided among the errors as it is in the samples.
    """
    repeated = [pair for pair in ASKED for _ in range(SAMPLES)]
    answers = chat.draws(model, [pair.prompt() for pair in repeated], torch.Generator().manual_seed(seed))
    kinds = [preference.kind_of(answer, pair) for answer, pair in zip(answers, repeated, strict=True)]
    counts = Counter(kinds)
    wrong = len(answers) - counts["right"]
    facts = {kind: (1 - right) * counts[kind] / wrong for kind in preference.KINDS if kind != "right"}
    others = [preference.said_by(ids) for ids, kind in zip(answers, kinds, strict=True) if kind == "another person"]
    facts["true of another"] = sum(said is not None and said.is_true() for said in others) / max(1, len(others))
    return {name: short(value) for name, value in facts.items()}


@torch.no_grad()
def found(model: Decoder, reference: Decoder, beta: float, others: Preferences, seed: int) -> dict[str, float]:
    """Measure a model against its reference: on held-out preferences, and on what it writes now."""
    answers = chat.greedy(model, [pair.prompt() for pair in ASKED])
    right = sum(preference.kind_of(answer, pair) == "right" for answer, pair in zip(answers, ASKED, strict=True))
    facts = {**moved(model, reference, beta, others), **computed(model), "greedy": short(right / len(ASKED))}
    return {**facts, **written(model, facts["right"], seed)}


def measure(setting: Facts, texts: Texts, device: str, progress: Progress) -> dict[str, Any]:
    """Train once, on the processor; every 20 steps it is measured as ``found`` says, and at times in between."""
    first, reference = reference_of(setting["seed"])
    taught, others = preferences_of(setting["seed"], setting.get("rule", "full sentence"))
    facts: dict[str, Any] = {"first": first}
    for name in ("chosen", "rejected"):
        kinds = taught.kinds(getattr(taught, name))
        facts[f"{name} right"] = short(kinds.count("right") / len(kinds))
    if "filtered" in setting:
        taught = taught.right()
    history: list[dict[str, float]] = []
    finely: dict[str, list[float]] = {"right": [], "named": []}
    often = FINELY[setting.get("rate", RATE)]
    bar = iter(progress(range(n_steps(setting) + 1)))
    beta = setting.get("beta", 1.0)  # of the margin, which tuning on the chosen answers does not know

    def watch(step: int, model: Decoder) -> None:
        next(bar)
        if step % EVERY == 0:  # each time, for each seed, with random numbers of its own
            history.append(found(model, reference, beta, others, 1000 * (1 + setting["seed"]) + step))
        if step % often == 0:
            now = computed(model)
            for name, numbers in finely.items():
                numbers.append(now[name])

    options = {name: setting[name] for name in ("beta", "anchor", "rate") if name in setting}
    learn = preference.imitated if "chosen only" in setting else preference.preferred
    made = learn(reference, taught, **options, steps=n_steps(setting), seed=setting["seed"], watch=watch)
    list(bar)
    with torch.no_grad():
        facts["taught"] = moved(made, reference, beta, taught)
    return {**facts, "pairs": len(taught), "history": history, "finely": finely}


def n_steps(setting: Facts) -> int:
    """Return how many steps a setting is trained for."""
    return int(setting.get("steps", STEPS))


RECIPE = {"steps": STEPS, "every": EVERY, "rate": RATE, "batch": preference.BATCH, "samples": SAMPLES}
STUDY = Study("preferences", RECIPE, list(settings()), lambda each: (n_steps(each) + 1, 100), measure)
