"""Claims of papers on learning from rewards, held against the recorded runs."""

from collections.abc import Sequence

from linebyline.claims.declare import claim, depends, holds, percent
from linebyline.experiments.studies import Facts, runs


def _pass(each: Sequence[Facts], i: int = 0) -> str:
    """Give the probability that one of 1, 2, 4, 8 or 16 samples is right."""
    return percent([{"pass": run["pass"][i]} for run in each], "pass")


@claim("shao2024", "reward-rivals", "GRPO does better than tuning on sampled answers that are right, in rounds.")
@depends("Not here: fifteen rounds are as good, and so is one with a check that reads the whole equation.")
def _better_than_rejection() -> str:
    kinds: tuple[Facts, ...] = ({}, {"copied": True})
    result, whole = (
        ", ".join(_pass(runs("rewards", how="rejection", rounds=n, rate=5e-4, **kind)) for n in (1, 5, 15))
        for kind in kinds
    )
    grpo = _pass(runs("rewards", how="GRPO", rate=3e-4))
    return f"right at once: GRPO {grpo}; 1, 5, 15 rounds {result}; with the whole equation {whole}"


@claim("liu2025", "moved-rewards", "Dividing by each answer's length favors lengths; one divisor for all does not.")
@holds("With rewards of 2 and 1 and no baseline, the first way ruins the model, and the second does not.")
def _one_divisor() -> str:
    moved = {"how": "no baseline", "rate": 3e-4, "moved": 1}
    lengths, one = runs("rewards", **moved), runs("rewards", **moved, evenly=True, written=True)
    return f"right at the first sample: by its length {_pass(lengths)}, by one number {_pass(one)}"


@claim("yue2025", "pass-at-k", "With many samples, the model before solves as much as the trained one, or more.")
@depends("Not here, up to 32 samples: it then solves most sums, and the trained one solves them all in 16.")
def _catches_up() -> str:
    start, trained = runs("rewards", how="start"), runs("rewards", how="GRPO", rate=1e-4)
    said = [f"{n}: {_pass(start, i)} against {_pass(trained, i)}" for i, n in ((0, 1), (4, 16))]
    tries = [{"32": run["tries"]["32"]} for run in runs("rewards", how="start", further=True)]
    return f"right within so many samples, {', '.join(said)}; before, 32: {percent(tries, '32')}"
