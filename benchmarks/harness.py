"""Time ours and a peer in turns in one process and report the ratio of medians; measure peaks of memory."""

import json
import os
import statistics
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from benchmarks.lines import Comparison, Line
from benchmarks.records import machine, machine_line, record

THREADS = 2


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
    ratios = [them / us for us, them in zip(times[ours], times[theirs], strict=True)]
    ends = {"low": min(ratios), "high": max(ratios)}
    return Comparison(work, peer, ours_seconds, peer_seconds, peer_seconds / ours_seconds, target, rounds, **ends)


def afresh(module: str, part: str) -> list[Any]:
    """What ``python -m module part`` prints as JSON, in a process of its own on two threads."""
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), str(THREADS))
    command = [sys.executable, "-m", module, part]
    printed = subprocess.run(command, check=True, stdout=subprocess.PIPE, env={**os.environ, **threads}).stdout
    lines: list[Any] = json.loads(printed)
    return lines


def print_for_parent(lines: Iterable[Line]) -> None:
    """Print what ``afresh`` reads."""
    print(json.dumps([asdict(line) for line in lines]))


def typical(module: str, part: str, processes: int = 5) -> list[Comparison]:
    """Make the comparisons of a part of a benchmark in fresh processes, and give of each the one in the middle.

    Where its memory happens to lie makes one process up to a seventh slower than the next, from beginning to end.
    """
    runs = [[Comparison(**line) for line in afresh(module, part)] for _ in range(processes)]
    return [_middle(same) for same in zip(*runs, strict=True)]


def _middle(same: Sequence[Comparison]) -> Comparison:
    """The comparison in the middle, with the ends of all; one without rounds has its ratio for both."""
    ends = [end for one in same for end in (one.low or one.ratio, one.high or one.ratio)]
    middle = sorted(same, key=lambda one: one.ratio)[len(same) // 2]
    return replace(middle, low=min(ends), high=max(ends))


def run_parts(
    name: str, parts: Mapping[str, Callable[[], Iterator[Comparison]]], packages: Iterable[str], note: str
) -> None:
    """Be ``main`` of ``benchmarks.name``: record what is typical of each part, or make the one on the command line."""
    if len(sys.argv) > 1:
        print_for_parent(parts[sys.argv[1]]())
        return
    facts = machine(packages)
    print(machine_line(facts))
    comparisons = []
    for part in parts:
        of_part = typical(f"benchmarks.{name}", part)
        print(*of_part, sep="\n", flush=True)
        comparisons += of_part
    print(f"\nwritten to {record(name, facts, note, comparisons)}")
