"""What does each part add? The model that grows by a part a chapter, at equal steps, and some stages at equal time.

All stages read the same windows in the same order and use the same rate, except the bigram tables. A stage has three
seeds, which decide its weights and its windows; the longest run has one. Seconds are processor time, without measuring.
"""

import time
from collections.abc import Iterator
from typing import Any

from torch import nn

from linebyline import growing
from linebyline.growing.record import ALL, SMALL

from .our_runs import Prepared
from .small_decoders import rounded
from .studies import Facts, Progress, Study, Texts

SEEDS = 3
EQUAL_TIME = {"feed-forward": 600, "two blocks": 350}  # steps in the time that one head takes for 1,000
UNMASKED = ("no mask", "no mask with positions")
EVERY = 50  # steps in each mean of the losses


def settings() -> Iterator[dict[str, Any]]:
    """Return the settings, all of a seed before those of the next, and the longest run at the end.

    They are the small runs that pages repeat, the stages, the controls, and two stages in the time of one head. One
    seed is enough for the small runs, and for controls without a mask, which are apart from all others.
    """
    *stages, longest = growing.STAGES
    once = [(name, SMALL) for name in stages] + [(name, ALL[name].steps) for name in UNMASKED]
    names = [name for name in [*stages, *growing.CONTROLS] if name not in UNMASKED]
    lengths = [*((name, ALL[name].steps) for name in names), *EQUAL_TIME.items()]
    for seed in range(SEEDS):
        runs = lengths if seed else once + lengths
        yield from ({"stage": name, "steps": steps, "seed": seed} for name, steps in runs)
    yield {"stage": longest, "steps": ALL[longest].steps, "seed": 0}


def prepared(setting: Facts, texts: Texts) -> Prepared[nn.Module]:
    """Make the model of a setting, and its training run; the text is known by the stage."""
    name, seed = setting["stage"], setting["seed"]
    text = growing.text(name)
    return Prepared(growing.build(name, text.vocab_size, seed), text, setting["steps"], ALL[name].rate, seed)


def measure(setting: Facts, texts: Texts, device: str, progress: Progress) -> dict[str, Any]:
    """Train once, on the processor.

    Returns:
        The first losses, the mean of each 50 losses, the bits per byte on unseen text, the seconds, the number of
        parameters and, for the first seed, a sample.
    """
    made = prepared(setting, texts)
    begin = time.process_time()
    losses = [made.run(1)[0] for _ in progress(range(setting["steps"]))]
    seconds = time.process_time() - begin
    means = [rounded(sum(losses[i : i + EVERY]) / EVERY) for i in range(0, len(losses), EVERY)]
    found: dict[str, Any] = {"first": [rounded(loss) for loss in losses[:3]], "losses": means}
    found["bits"] = rounded(growing.bits_per_byte(made.model, made.text))
    found["seconds"] = round(seconds, 1)
    found["parameters"] = sum(parameter.numel() for parameter in made.model.parameters())
    if setting["stage"] in UNMASKED:
        found["in_use"] = rounded(growing.bits_in_use(made.model, made.text))
    if not setting["seed"]:
        found["sample"] = growing.sample(made.model, made.text)
    return found


SIZES = {"d_model": growing.D_MODEL, "n_heads": growing.N_HEADS, "n_layers": growing.N_LAYERS}
RATES = {name: stage.rate for name, stage in ALL.items()}
RECIPE = {**SIZES, "window": growing.WINDOW, "batch": 16, "warmup": 50, "every": EVERY, "rates": RATES}
STUDY = Study("our_model", RECIPE, list(settings()), lambda each: (each["steps"], 20), measure)
