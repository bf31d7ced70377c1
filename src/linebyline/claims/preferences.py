"""Claims of papers on learning from preferences, held against the recorded runs."""

from collections.abc import Sequence

from linebyline.claims.declare import claim, depends, holds, percent
from linebyline.experiments.studies import Facts, runs


def _right(each: Sequence[Facts]) -> str:
    """Give the fraction of right answers among those that the models of some runs write at the end."""
    return percent([run["history"][-1] for run in each], "right")


@claim("rafailov2023", "chosen-only", "DPO gives better answers than tuning on the preferred answers alone.")
@depends("It has more right ones if some of the preferred answers are wrong, and no more if all are right.")
def _better_than_chosen_only() -> str:
    alone = {"chosen only": True, "rate": 1e-4, "steps": 80}
    both = [runs("preferences", **more) for more in ({"beta": 0.5}, alone)]
    right = [runs("preferences", **more, filtered=True) for more in ({"beta": 0.1, "steps": 80}, alone)]
    said = [f"DPO {_right(dpo)}, chosen alone {_right(chosen)}" for dpo, chosen in (both, right)]
    return f"right: {said[0]}; without wrong chosen answers {said[1]}"


@claim("pal2024", "chosen-falls", "With DPO the preferred answers can become less likely; a term for their loss helps.")
@holds("More than half of them fall when the two answers are alike, and fewer with the term.")
def _chosen_fall() -> str:
    alike = {"beta": 0.1, "rule": "usual"}
    found = (runs("preferences", **alike), runs("preferences", **alike, anchor=1.0))
    plain, anchored = ([run["taught"] for run in each] for each in found)
    return f"preferred answers that fell: {percent(plain, 'fell')}, with the term {percent(anchored, 'fell')}"
