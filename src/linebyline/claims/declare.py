"""What a claim is, how a chapter declares one, and what several measurements use."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch.utils.flop_counter import FlopCounterMode

Measurement = Callable[[], str]


@dataclass(frozen=True)
class Claim:
    """A claim of a source document, or of a paper, in our own words, and the measurement that settles it.

    ``verdict`` is ``"holds"``, ``"corrected"`` (something else holds, and ``finding`` says what) or ``"depends"``
    (true under a condition, which ``finding`` names). ``measure`` computes the evidence afresh and returns it as a
    short text, rounded so that it is the same on every machine. ``section`` is the label of the section of the book
    that shows it, or measures what it is about.
    """

    id: str
    topic: str
    section: str
    statement: str
    verdict: str
    finding: str
    measure: Measurement

    @property
    def document(self) -> str:
        """The number of the document that makes the claim, or the author and year of the paper, as the id begins."""
        return self.id.partition(".")[0]

    @property
    def of_paper(self) -> bool:
        """Whether a paper makes it, and not one of the source documents."""
        return not self.document.isdigit()

    @property
    def anchor(self) -> str:
        """The name of its row in a page."""
        return f"claim-{self.id.replace('.', '-')}"


DECLARED: dict[str, list[Claim]] = defaultdict(list)  # by topic, in the order of the files


class Verdict(NamedTuple):
    """Our answer to a claim: its name, what we found, and the function that measures it."""

    name: str
    finding: str
    measure: Measurement


def _verdict(name: str) -> Callable[[str], Callable[[Measurement], Verdict]]:
    return lambda finding: partial(Verdict, name, finding)


# Above the function that measures what the finding says.
holds, corrected, depends = map(_verdict, ("holds", "corrected", "depends"))


def claim(document: str, section: str, statement: str = "") -> Callable[[Verdict], Claim]:
    """Declare a claim, above its verdict; its id ends in the function's name, its topic is the chapter of the file.

    A long statement may be the function's docstring instead.
    """

    def declare(verdict: Verdict) -> Claim:
        id = f"{document}.{verdict.measure.__name__.strip('_').replace('_', '-')}"
        topic = verdict.measure.__module__.removeprefix(f"{__package__}.").partition(".")[0]
        said = statement or verdict.measure.__doc__ or ""
        made = Claim(id, topic, f"sec-{section}", said, verdict.name, verdict.finding, verdict.measure)
        DECLARED[topic].append(made)
        return made

    return declare


def percent(runs: Sequence[Mapping[str, Any]], name: str) -> str:
    """Give the mean of a fraction over recorded runs, and the least and the greatest where they differ."""
    found = sorted(round(100 * run[name]) for run in runs)
    mean = round(100 * fmean(run[name] for run in runs))
    return f"{mean}%" if found[0] == found[-1] else f"{mean}% ({found[0]} to {found[-1]})"


def difference(got: float, bound: float = 1e-12) -> str:
    """Describe a difference of rounding size without its digits, which change from machine to machine."""
    return f"difference below {bound:.0e}" if got < bound else f"difference {got:.1g}"


def product(a: np.ndarray, b: np.ndarray) -> str:
    """Describe the shape of a matrix product, or that there is none."""
    try:
        return f"{a.shape} times {b.shape} gives {(a @ b).shape}"
    except ValueError:
        return f"{a.shape} times {b.shape} has no product"


def draw(*shapes: int | tuple[int, ...]) -> list[np.ndarray]:
    """Draw an array of normal numbers of each shape, the same in every measurement."""
    rng = np.random.default_rng(0)
    return [rng.normal(size=shape) for shape in shapes]


def qkv(T: int = 5, d: int = 3) -> np.ndarray:
    """Draw queries, keys and values (3, T, d), the same in every measurement."""
    return draw((3, T, d))[0]


def gap(a: ArrayLike, b: ArrayLike) -> float:
    """Return the largest difference between the entries of two arrays."""
    return float(np.abs(np.subtract(a, b)).max())


def operations(call: Callable[..., object], *arguments: torch.Tensor) -> int:
    """Count the multiplications and additions of a call. Tensors on the meta device are enough."""
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        call(*arguments)
    return int(counter.get_total_flops())
