"""Claims of papers on learning from preferences, held against the recorded runs."""

from collections.abc import Sequence
from statistics import fmean

from linebyline.claims.declare import claim, depends, holds, percent
from linebyline.experiments.studies import Facts, runs


def _stopped(each: Sequence[Facts]) -> str:
    """Give the fraction of right answers at the first step where 85% of the answers have the preferred style."""
    named = [fmean(numbers) for numbers in zip(*(run["finely"]["named"] for run in each), strict=True)]
    step = next(i for i, fraction in enumerate(named) if fraction >= 0.85)
    return percent([{"right": run["finely"]["right"][step]} for run in each], "right")


@claim("rafailov2023", "chosen-only", "DPO gives better answers than tuning on the preferred answers alone.")
@depends(
    "It has more right ones when both have just learned the style; tuning on right answers can continue and has more."
)
def _better_than_chosen_only() -> str:
    dpo = runs("preferences", beta=0.1, rate=3e-4, steps=40)
    alone, filtered = (
        runs("preferences", **{"chosen only": True}, **more, rate=3e-4, steps=80) for more in ({}, {"filtered": True})
    )
    later = percent([run["history"][-1] for run in filtered], "right")
    return f"right: DPO {_stopped(dpo)}, chosen alone {_stopped(alone)}; without wrong ones {later} after 80 steps"


@claim("pal2024", "chosen-falls", "With DPO the preferred answers can become less likely; a term for their loss helps.")
@holds("More than half of them fall when the usual answers are preferred, and fewer with the term.")
def _chosen_fall() -> str:
    usual = {"beta": 0.1, "rule": "usual"}
    found = (runs("preferences", **usual), runs("preferences", **usual, anchor=1.0))
    plain, anchored = ([run["taught"] for run in each] for each in found)
    return f"preferred answers that fell: {percent(plain, 'fell')}, with the term {percent(anchored, 'fell')}"
