"""Time ours and a peer in turns in one process and report the ratio of medians; measure peaks of memory."""

import json
import os
import platform
import statistics
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True)
class Comparison:
    """One line of a benchmark. The ratio says how many times faster ours is."""

    work: str
    peer: str
    ours_seconds: float
    peer_seconds: float
    ratio: float
    target: float | None
    rounds: int

    @property
    def holds(self) -> bool:
        """Whether the ratio reaches the target, or there is none."""
        return self.target is None or self.ratio >= self.target

    def __str__(self) -> str:
        """One line of the printed table."""
        target = "" if self.target is None else f"   target {self.target:g}: {'holds' if self.holds else 'MISSED'}"
        times = f"ours {self.ours_seconds:8.3f} s   peer {self.peer_seconds:8.3f} s"
        return f"{self.work:44} {self.peer:34} {times}   ratio {self.ratio:8.2f}{target}"


@dataclass(frozen=True)
class Memory:
    """The most memory that some work held at a time, in a unit of its own, and that of a peer."""

    work: str
    ours: float
    unit: str
    target: float | None = None
    peer: str | None = None
    theirs: float | None = None

    @property
    def holds(self) -> bool:
        """Whether ours stays within the target, or there is none."""
        return self.target is None or self.ours <= self.target

    def __str__(self) -> str:
        """One line of the printed table."""
        target = "" if self.target is None else f"   at most {self.target:g}: {'holds' if self.holds else 'MISSED'}"
        theirs = "" if self.theirs is None else f"   {self.peer} {self.theirs:g}"
        return f"{self.work:44} peak memory {self.ours:g} {self.unit}{theirs}{target}"


def peak_memory(call: Callable[[], object]) -> int:
    """The most bytes that Python and NumPy held during a call beyond what they held before."""
    tracemalloc.start()
    result = call()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    del result
    return peak


def compare(
    work: str,
    peer: str,
    ours: Callable[[], object],
    theirs: Callable[[], object],
    *,
    rounds: int = 5,
    target: float | None = None,
) -> Comparison:
    """Run both in turns, each first in every other round, so that neither gains by its place."""
    times: dict[Callable[[], object], list[float]] = {ours: [], theirs: []}
    for i in range(rounds):
        for function in (ours, theirs) if i % 2 == 0 else (theirs, ours):
            start = time.perf_counter()
            function()
            times[function].append(time.perf_counter() - start)
    ours_seconds, peer_seconds = statistics.median(times[ours]), statistics.median(times[theirs])
    return Comparison(work, peer, ours_seconds, peer_seconds, peer_seconds / ours_seconds, target, rounds)


def typical(module: str, part: str, processes: int = 5) -> list[Comparison]:
    """Make the comparisons of a part of a benchmark in fresh processes, and give of each the one in the middle.

    Where its memory happens to lie makes one process up to a seventh slower than the next, from beginning to end.
    The process is called as ``python -m module part``, and prints its comparisons with ``print_for_parent``.
    """
    command = [sys.executable, "-m", module, part]
    runs = [
        [Comparison(**line) for line in json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)]
        for _ in range(processes)
    ]
    return [sorted(same, key=lambda one: one.ratio)[processes // 2] for same in zip(*runs, strict=True)]


def print_for_parent(comparisons: Iterable[Comparison]) -> None:
    """Print what ``typical`` reads."""
    print(json.dumps([asdict(comparison) for comparison in comparisons]))


def machine(packages: Iterable[str]) -> dict[str, Any]:
    """What the figures depend on: processor, cores, system, Python and the versions of the packages."""
    return {
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "packages": {package: version(package) for package in packages},
    }


def machine_line(facts: dict[str, Any]) -> str:
    """The same on one line."""
    packages = ", ".join(f"{package} {number}" for package, number in facts["packages"].items())
    python = f"Python {facts['python']}"
    return ", ".join([facts["processor"], f"{facts['cores']} cores", facts["system"], python, packages])


def record(
    name: str,
    comparisons: Iterable[Comparison],
    facts: dict[str, Any],
    note: str,
    *,
    memory: Iterable[Memory] = (),
    **figures: Any,
) -> Path:
    """Write the results with the date, the machine and a note for the reader to benchmarks/results/<name>.json."""
    document = {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": facts,
        "note": note,
        "comparisons": [asdict(comparison) for comparison in comparisons],
        "memory": [asdict(line) for line in memory],
        **figures,
    }
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    unfinished = path.with_suffix(".part")
    unfinished.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    return unfinished.replace(path)


def _processor() -> str:
    """The model of the processor, without the machine's name."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("model name")),
        platform.machine(),
    )
