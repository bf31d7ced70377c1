"""What the record says of each stage of our model, for the pages: its measurements, what it writes, and the table."""

from collections.abc import Mapping
from functools import cache
from statistics import fmean, median
from textwrap import TextWrapper
from typing import Any, NamedTuple

from linebyline.experiments import studies

from .stages import CONTROLS, STAGES, build
from .training import bits_per_byte, text, train

SMALL = 200  # steps of the run that a page makes
ALL = {**STAGES, **CONTROLS}


class Measured(NamedTuple):
    """What the record has of a stage: means over the seeds."""

    parameters: int
    loss: float  #: Of the last 50 steps of training, in nats per token
    bits: float  #: On unseen text, per byte
    spread: float  #: Half the distance from the best seed to the worst, in bits per byte
    seconds: float  #: Of one core, the median
    seeds: int
    in_use: float | None = None  #: Bits per byte if nothing is shown of what comes later, for models without a mask

    @property
    def shown(self) -> str:
        """The bits per byte with their spread.

        Example:
            >>> Measured(7, 3.5, 2.504, 0.0131, 14.2, 3).shown, Measured(7, 3.5, 1.926, 0.0, 312.0, 1).shown
            ('2.504 ± 0.013', '1.926')
        """
        return f"{self.bits:.3f} ± {self.spread:.3f}" if self.seeds > 1 else f"{self.bits:.3f}"


def kept(name: str, steps: int | None = None) -> Measured:
    """Read what the record has of a stage or a control, after all of its steps or after a run of as many as told.

    Raises:
        KeyError: there is no such run in the record.
    """
    runs = _runs(name, steps)
    bits = [run["bits"] for run in runs]
    loss, seconds = fmean(run["losses"][-1] for run in runs), median(run["seconds"] for run in runs)
    spread, in_use = (max(bits) - min(bits)) / 2, runs[0].get("in_use")
    return Measured(runs[0]["parameters"], loss, fmean(bits), spread, seconds, len(runs), in_use)


def written(name: str) -> str:
    """Return the 200 characters that a stage wrote after its training, with seed 0, in lines that fit a page."""
    fold = TextWrapper(76, drop_whitespace=False, replace_whitespace=False).wrap
    lines = _runs(name)[0]["sample"].splitlines()
    return "\n".join(part.rstrip() for line in lines for part in fold(line) or [""])


def small_run(name: str) -> tuple[float, float]:
    """Train a stage for 200 steps, and return its bits per byte on unseen text: those found now, and the record's."""
    data, stage = text(name), ALL[name]
    model = build(name, data.vocab_size)
    for _ in train(model, data.read, SMALL, stage.rate):
        pass
    return bits_per_byte(model, data), kept(name, SMALL).bits


def stages_table(last: str, *, brief: bool = False) -> str:
    """Return a Markdown table of the stages up to one of them, which is in bold; a ``brief`` one fits a phone."""
    names = list(STAGES)
    lines = ["| stage | what is new | parameters | bits per byte | seconds |", "|:--|:--|--:|--:|--:|"]
    for name in names[: names.index(last) + 1]:
        found, bold = kept(name), "**" if name == last else ""
        cells = name, f"{found.parameters:,}", found.shown, f"{found.seconds:.0f}"
        shown, parameters, bits, seconds = (f"{bold}{cell}{bold}" for cell in cells)
        lines.append(f"| {shown} | {STAGES[name].added} | {parameters} | {bits} | {seconds} |")
    if brief:
        lines = ["|".join(line.split("|")[part] for part in (0, 1, 3, 4, 0)) for line in lines]
    return "\n".join(lines)


def runs_table(*runs: str | tuple[str, int]) -> str:
    """Return a Markdown table of any stages and controls, each after all of its steps or after as many as told."""
    lines = ["| model | steps | training loss | bits per byte | seconds |", "|:--|--:|--:|--:|--:|"]
    for name, steps in ((run, ALL[run].steps) if isinstance(run, str) else run for run in runs):
        found = kept(name, steps)
        lines.append(f"| {name} | {steps:,} | {found.loss:.2f} | {found.shown} | {found.seconds:.0f} |")
    return "\n".join(lines)


def _runs(name: str, steps: int | None = None) -> list[Mapping[str, Any]]:
    """The runs of a stage, seed by seed."""
    wanted = {"stage": name, "steps": ALL[name].steps if steps is None else steps}
    runs = [run for run in _record()["runs"] if wanted.items() <= run["setting"].items()]
    if not runs:
        raise KeyError(f"the record has no run of {wanted}")
    return runs


@cache
def _record() -> dict[str, Any]:
    return studies.read("our_model")
