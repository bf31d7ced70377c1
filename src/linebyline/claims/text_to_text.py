"""Claims on T5 and on what encoders and decoders are for, held against what is kept with the course."""

import json
from collections.abc import Mapping
from functools import cache
from statistics import fmean
from typing import Any

from linebyline import text_to_text
from linebyline.claims.declare import claim, corrected, depends
from linebyline.kept_models import WEIGHTS


@cache
def _recorded(name: str) -> Mapping[str, Any]:
    content: Mapping[str, Any] = json.loads((WEIGHTS / f"{name}.json").read_text(encoding="utf-8"))
    return content


@claim("001", "every-task-is-text", "T5 is a transformer model that is trained.")
@corrected("So is every other. What is its own: all tasks are text, and a prefix tells one model which is meant.")
def _t5_trained() -> str:
    kept = text_to_text.text_to_text()
    shares = [text_to_text.accuracy(kept.model, kept.words, task, 40) for task in text_to_text.TASKS.values()]
    good = sum(share > 0.85 for share in shares)
    return f"one set of weights; tasks in which more than 85% of new sentences come out right: {good} of {len(shares)}"


@claim("002", "together", "The paper on T5 explores the limits of transformer learning.")
@corrected(
    "Of transfer learning: what is learned in one task serves others. With as many sentences of its own, each of five "
    "tasks went better beside the others than alone; for as much work, English to Swedish alone did better still."
)
def _t5_title() -> str:
    both = _recorded("text_to_text_studies")["together"]
    shares = both["shares"].values()
    alone, beside = (fmean(share for of in shares for share in of[how]) for how in ("alone", "together"))
    ahead = sum(min(of["together"]) > max(of["alone"]) for of in shares)
    ((prefix, busy),) = both["as_much_work"].items()
    return (
        f"words right: a task alone {alone:.2f}, beside four others {beside:.2f}, ahead in {ahead} of {len(shares)}; "
        f"Swedish beside others {fmean(both['shares'][prefix]['together']):.2f}, for as much work {fmean(busy):.2f}"
    )


@claim("001", "three-wirings", "Encoders are for classification and regression; text is written by decoders.")
@depends(
    "That is what they are used for most. With places for a target behind its source an encoder writes, all words in "
    "one call, each without a look at the others."
)
def _encoders_do_not_write() -> str:
    results = _recorded("wirings")["results"]
    nats = {name: fmean(seed["surprise"][-1] for seed in results[name]["seeds"]) for name in results}
    return (
        f"nats for a word of a translation after 400 steps: encoder alone {nats['encoder-only']:.1f}, decoder alone "
        f"{nats['decoder-only']:.1f}, both {nats['encoder-decoder']:.1f}"
    )
