"""The lines of a benchmark: what each says, and whether its target holds."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Comparison:
    """One line of a benchmark. The ratio says how many times faster ours is; low and high are its ends over rounds."""

    work: str
    peer: str
    ours_seconds: float
    peer_seconds: float
    ratio: float
    target: float | None
    rounds: int
    low: float | None = None
    high: float | None = None

    @property
    def words(self) -> tuple[str, ...]:
        """What tells the line from all others."""
        return self.work, self.peer

    @property
    def holds(self) -> bool:
        """Whether the ratio reaches the target, or there is none."""
        return self.target is None or self.ratio >= self.target

    @property
    def shown(self) -> str:
        """The ratio to the digits that matter."""
        return f"{self.ratio:.{0 if self.ratio >= 100 else 2}f}"

    @property
    def promise(self) -> str:
        """The target in words."""
        return "" if self.target is None else f"{self.target:g}"

    def __str__(self) -> str:
        """One line of the printed table."""
        times = f"ours {self.ours_seconds:8.3f} s   peer {self.peer_seconds:8.3f} s"
        return f"{self.work:44} {self.peer:34} {times}   ratio {self.ratio:8.2f}{_verdict(self)}"


@dataclass(frozen=True)
class Quantity:
    """What was measured in a unit of its own, as memory at its peak, and the same of a peer."""

    work: str
    ours: float
    unit: str
    target: float | None = None
    at: Literal["most", "least"] = "most"
    peer: str | None = None
    theirs: float | None = None

    @property
    def words(self) -> tuple[str, ...]:
        """What tells the line from all others."""
        return (self.work,)

    @property
    def holds(self) -> bool:
        """Whether ours is on the right side of the target, or there is none."""
        if self.target is None:
            return True
        return self.ours <= self.target if self.at == "most" else self.ours >= self.target

    @property
    def shown(self) -> str:
        """Ours, and theirs in brackets, to the digits that matter."""
        theirs = "" if self.theirs is None else f" ({self.peer}: {_digits(self.theirs)})"
        return f"{_digits(self.ours)} {self.unit}{theirs}"

    @property
    def promise(self) -> str:
        """The target in words."""
        return "" if self.target is None else f"at {self.at} {self.target:g}"

    def __str__(self) -> str:
        """One line of the printed table."""
        return f"{self.work:79} {self.shown}{_verdict(self)}"


Line = Comparison | Quantity


def _digits(value: float) -> str:
    """Three digits that count, and no exponent."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _verdict(line: Line) -> str:
    """What the printed table says of a target."""
    return "" if line.target is None else f"   target {line.promise}: {'holds' if line.holds else 'MISSED'}"
