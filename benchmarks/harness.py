"""Time ours and a peer in turns, in fresh processes, and write what was measured into the folder of the processor.

A benchmark module has ``PARTS``, functions that yield lines, and calls ``main``. Each part runs in a process of its
own; where several processes are asked for, the line in the middle counts, with the lowest and highest ratio of all.
"""

import json
import os
import re
import statistics
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from benchmarks.targets import TARGETS
from clearformer.files import write_whole
from linebyline.machine import machine

RESULTS = Path(__file__).parent / "results"
THREADS = 2
Call = Callable[[], object]


@dataclass(frozen=True)
class Comparison:
    """How many times faster ours is than a peer: the ratio of medians, and its ends over the rounds."""

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
    def reached(self) -> bool:
        """Whether the ratio is at least the target, or there is none."""
        return self.target is None or self.ratio >= self.target

    def __str__(self) -> str:
        """The printed line."""
        verdict = "" if self.target is None else f"   target {self.target:g}: {'reached' if self.reached else 'MISSED'}"
        times = f"ours {self.ours_seconds:8.3f} s   peer {self.peer_seconds:8.3f} s"
        return f"{self.work:50} {self.peer:34} {times}   ratio {self.ratio:7.2f}{verdict}"


@dataclass(frozen=True)
class Quantity:
    """A measurement with a unit of its own, and the same of a peer."""

    work: str
    ours: float
    unit: str
    target: float | None = None
    at: Literal["most", "least"] = "most"
    peer: str | None = None
    theirs: float | None = None

    @property
    def reached(self) -> bool:
        """Whether ours is on the right side of the target, or there is none."""
        if self.target is None:
            return True
        return self.ours <= self.target if self.at == "most" else self.ours >= self.target

    def __str__(self) -> str:
        """The printed line."""
        theirs = "" if self.theirs is None else f" ({self.peer}: {self.theirs:.3g})"
        verdict = "reached" if self.reached else "MISSED"
        goal = "" if self.target is None else f"   target at {self.at} {self.target:g}: {verdict}"
        return f"{self.work:85} {self.ours:.3g} {self.unit}{theirs}{goal}"


Line = Comparison | Quantity


def compare(work: str, peer: str, ours: Call, theirs: Call, *, rounds: int = 5) -> Comparison:
    """Run both in turns, each first in every other round, so that neither gains by its place."""
    times: dict[Call, list[float]] = {ours: [], theirs: []}
    for i in range(rounds):
        for call in (ours, theirs) if i % 2 == 0 else (theirs, ours):
            start = time.perf_counter()
            call()
            times[call].append(time.perf_counter() - start)
    ratios = [them / us for us, them in zip(times[ours], times[theirs], strict=True)]
    us, them = statistics.median(times[ours]), statistics.median(times[theirs])
    target = TARGETS.get((work, peer))
    return Comparison(work, peer, us, them, them / us, target, rounds, min(ratios), max(ratios))


def quantity(work: str, ours: float, unit: str, at: Literal["most", "least"] = "most", **peer: Any) -> Quantity:
    """A measurement, rounded, with its target."""
    return Quantity(work, float(f"{ours:.4g}"), unit, TARGETS.get((work, "")), at, **peer)


def peak_memory(call: Call) -> int:
    """The most bytes that Python and NumPy held during a call beyond what they held before."""
    tracemalloc.start()
    call()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


def run_alone(module: str, part: str) -> list[Line]:
    """Run one part of a benchmark in a process of its own, on two threads."""
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), str(THREADS))
    command = [sys.executable, "-m", module, part]
    environment = {**threads, **os.environ}
    printed = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=environment).stdout
    return [(Comparison if "ratio" in line else Quantity)(**line) for line in json.loads(printed)]


def middle(lines: Iterable[Line]) -> Line:
    """The line in the middle; a comparison keeps the ends of all."""
    ordered = sorted(lines, key=lambda line: line.ratio if isinstance(line, Comparison) else line.ours)
    line = ordered[len(ordered) // 2]
    if isinstance(line, Quantity):
        return line
    lows = [other.low or other.ratio for other in ordered if isinstance(other, Comparison)]
    highs = [other.high or other.ratio for other in ordered if isinstance(other, Comparison)]
    return replace(line, low=min(lows), high=max(highs))


def main(
    name: str, parts: Mapping[str, Callable[[], Iterator[Line]]], packages: Iterable[str], note: str, processes: int = 1
) -> None:
    """Run all parts and write the record, or run the one on the command line and print it for the parent process."""
    if len(sys.argv) > 1:
        print(json.dumps([asdict(line) for line in parts[sys.argv[1]]()]))
        return
    facts = machine(packages)
    print(processor(facts), facts["packages"])
    lines: list[Line] = []
    for part in parts:
        runs = [run_alone(f"benchmarks.{name}", part) for _ in range(processes)]
        for same in zip(*runs, strict=True):
            lines.append(middle(same))
            print(lines[-1], flush=True)
    print(f"\nwritten to {record(name, facts, note, lines)}")


def processor(facts: dict[str, Any]) -> str:
    """The part of a machine that a record belongs to: processor, cores and system."""
    return f"{facts['processor']}, {facts['cores']} cores, {facts['system']}"


def record(name: str, facts: dict[str, Any], note: str, lines: Iterable[Line], results: Path = RESULTS) -> Path:
    """Write what a benchmark measured, with the date, the machine and a note for the reader, whole or not at all."""
    lines = list(lines)
    document = {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": facts,
        "note": note,
        "comparisons": [asdict(line) for line in lines if isinstance(line, Comparison)],
        "quantities": [asdict(line) for line in lines if isinstance(line, Quantity)],
    }
    folder = re.sub(r"[^a-z0-9]+", "-", processor(facts).lower()).strip("-")
    path = results / folder / f"{name}.json"
    write_whole(path, json.dumps(document, indent=2) + "\n")
    return path


def read(results: Path = RESULTS) -> dict[str, dict[str, dict[str, Any]]]:
    """Every record, by processor and then by benchmark."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for path in sorted(results.glob("*/*.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        found.setdefault(processor(document["machine"]), {})[path.stem] = document
    return found
