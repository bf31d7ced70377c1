"""The records of all processors side by side, as tables in Markdown: a row for each work, a column for each processor.

Where a target changed between two records, the newer one counts for both.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from benchmarks.lines import Comparison, Line, Quantity
from benchmarks.records import versions_line
from linebyline.figures import Ratio

MISSED = "missed"
Records = dict[str, dict[str, dict[str, Any]]]


def ratios(records: Records) -> str:
    """How many times faster ours is than each peer."""
    lines = ((processor, Comparison(**line)) for processor, line in _newest_first(records, "comparisons"))
    return _table(["Work", "Peer"], list(records), lines)


def points(records: Records, name: str) -> list[Ratio]:
    """The ratios of one benchmark, to be drawn."""
    found = []
    for processor, document in _by_date(records, name):
        for line in (Comparison(**line) for line in document["comparisons"]):
            ends = (line.low, line.high)
            found.append(Ratio(line.work, line.peer, processor, line.ratio, *ends, line.target))
    return found


def reached(points: Sequence[Ratio]) -> str:
    """How many targets are reached, in words that describe a figure."""
    asked = [point for point in points if point.target is not None]
    held = sum(point.value >= point.target for point in asked if point.target is not None)
    return f"{len(points)} ratios; {held} of {len(asked)} targets are reached."


def quantities(records: Records) -> str:
    """What was measured in units of its own."""
    lines = ((processor, Quantity(**line)) for processor, line in _newest_first(records, "quantities"))
    return _table(["Work"], list(records), lines)


def machines(records: Records) -> str:
    """The processors, and the date and the versions of each benchmark's record."""
    lines = []
    for processor, made in records.items():
        lines.append(f"- {processor}")
        lines += [f"  - {name}, {it['date']}: {versions_line(it['machine'])}" for name, it in made.items()]
    return "\n".join(lines)


def notes(records: Records) -> str:
    """What the rows of each benchmark mean, as its newest record says."""
    return "\n".join(f"- **{name}**: {_by_date(records, name)[0][1]['note']}" for name in _names(records))


def _newest_first(records: Records, kind: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every line of a kind with its processor, benchmark by benchmark."""
    for name in _names(records):
        for processor, document in _by_date(records, name):
            yield from ((processor, line) for line in document[kind])


def _names(records: Records) -> list[str]:
    """The benchmarks that ran somewhere."""
    return sorted({name for documents in records.values() for name in documents})


def _by_date(records: Records, name: str) -> list[tuple[str, dict[str, Any]]]:
    """The records of one benchmark with their processors, the newest first."""
    found = [(processor, documents[name]) for processor, documents in records.items() if name in documents]
    return sorted(found, key=lambda one: one[1]["date"], reverse=True)


def _table(head: list[str], processors: list[str], lines: Iterator[tuple[str, Line]]) -> str:
    """What misses its target comes first; a cell is empty where the work was not measured on the processor."""
    rows: dict[tuple[str, ...], dict[str, Line]] = {}
    for processor, line in lines:
        rows.setdefault(line.words, {})[processor] = line
    written = []
    for words, row in rows.items():
        shown = [row[processor].shown if processor in row else "" for processor in processors]
        written.append([*words, *shown, _verdict(list(row.values()))])
    written.sort(key=lambda cells: not cells[-1].endswith(MISSED))
    lead = [[*head, *processors, "Target"], [":--"] * len(head) + ["--:"] * len(processors) + [":--"]]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [*lead, *written])


def _verdict(row: list[Line]) -> str:
    """The newest target, and whether it holds on every processor that has the line."""
    newest = row[0]
    reached = all(replace(line, target=newest.target).holds for line in row)
    return "" if newest.target is None else f"{newest.promise}, {'reached' if reached else MISSED}"
