"""What the records say: means over seeds, with the interval that each is sure of."""

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from statistics import fmean, stdev
from typing import NamedTuple, TypeVar

from scipy import stats

from .studies import Facts

Key = TypeVar("Key", bound=Hashable)


class Mean(NamedTuple):
    """A mean over seeds."""

    mean: float
    #: Half the length of the interval that covers the true mean in 95 of 100 such studies, by Student's t; infinite for
    #: one seed, which says nothing of others.
    half: float
    n: int

    @property
    def decided(self) -> bool:
        """Whether zero lies outside the interval."""
        return abs(self.mean) > self.half


def mean_of(numbers: Iterable[float]) -> Mean:
    """Average over seeds."""
    numbers = list(numbers)
    if len(numbers) == 1:
        return Mean(numbers[0], math.inf, 1)
    apart = float(stats.t.ppf(0.975, len(numbers) - 1))  # standard errors, to either side
    return Mean(fmean(numbers), apart * stdev(numbers) / math.sqrt(len(numbers)), len(numbers))


def losses(record: Facts) -> dict[tuple[str, int, float, int], Mean]:
    """Return what unseen text costs by place of the norms, depth, rate and warm-up."""
    return _by(record, lambda it: (it["norm"], it["n_layers"], it["peak"], it["warmup"]), lambda run: run["unseen"])


def gains(record: Facts) -> dict[tuple[str, int, float], Mean]:
    """Return what warm-up takes from the unseen loss, seed by seed, by place of the norms, depth and rate."""
    pairs: dict[tuple[str, int, float], dict[int, dict[bool, float]]] = defaultdict(lambda: defaultdict(dict))
    for run in record["runs"]:
        it = run["setting"]
        pairs[it["norm"], it["n_layers"], it["peak"]][it["seed"]][it["warmup"] > 0] = run["unseen"]
    return {key: mean_of(of[False] - of[True] for of in seeds.values()) for key, seeds in pairs.items()}


def by_batch(record: Facts, *, windows: int | None = None, steps: int | None = None) -> dict[int, Mean]:
    """Return what unseen text costs each batch size, with the rate that suits it best there."""

    def there(run: Facts) -> float | None:
        wanted = steps if windows is None else windows / run["setting"]["batch"]
        return next((loss for step, loss in run["unseen"] if step == wanted), None)

    measured = [run for run in record["runs"] if "batch" in run["setting"] and there(run) is not None]
    every = _by({"runs": measured}, lambda it: (it["batch"], it["peak"]), lambda run: there(run) or math.inf)
    batches = dict.fromkeys(batch for batch, _ in every)
    return {b: min(found for (batch, _), found in every.items() if batch == b) for b in batches}


def noise_scales(record: Facts) -> dict[int, Mean]:
    """Return the noise scale in windows, by the number of steps made; each seed's is a ratio of two means."""
    scales: dict[int, list[float]] = defaultdict(list)
    for run in record["runs"]:
        for moment in run.get("noise", []):
            scales[moment["step"]].append(fmean(moment["variance"]) / fmean(moment["squared"]))
    return {step: mean_of(numbers) for step, numbers in scales.items()}


def by_size(record: Facts) -> dict[float, dict[int, Mean]]:
    """Return what unseen text costs by the operations spent and the number of parameters."""
    sizes = {run["setting"]["d_model"]: run["parameters"] for run in record["runs"]}
    every = _by(record, lambda it: (it["budget"], sizes[it["d_model"]]), lambda run: run["unseen"])
    budgets = dict.fromkeys(budget for budget, _ in every)
    return {budget: {n: mean for (spent, n), mean in every.items() if spent == budget} for budget in budgets}


def _by(record: Facts, key: Callable[[Facts], Key], number: Callable[[Facts], float]) -> dict[Key, Mean]:
    """Average over the seeds of each setting."""
    found: dict[Key, list[float]] = defaultdict(list)
    for run in record["runs"]:
        found[key(run["setting"])].append(number(run))
    return {name: mean_of(numbers) for name, numbers in found.items()}
