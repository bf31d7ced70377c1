"""The records of all processors as tables in Markdown: a row for each measurement, a column for each processor."""

from collections.abc import Iterator
from typing import Any

from linebyline.figures import Ratio

Records = dict[str, dict[str, dict[str, Any]]]


def points(records: Records, name: str) -> list[Ratio]:
    """The ratios of one benchmark, to be drawn."""
    return [
        Ratio(line["work"], line["peer"], processor, *(line[key] for key in ("ratio", "low", "high", "target")))
        for processor, document in _newest_first(records, name)
        for line in document["comparisons"]
    ]


def reached(points: list[Ratio]) -> str:
    """How many targets are reached, as the alternative text of a figure."""
    held = [point.value >= point.target for point in points if point.target is not None]
    return f"{len(points)} ratios; {sum(held)} of {len(held)} targets are reached."


def ratios(records: Records) -> str:
    """How many times faster ours is than each peer."""
    return _table(["Work", "Peer"], "comparisons", records)


def quantities(records: Records) -> str:
    """What was measured in a unit of its own."""
    return _table(["Work"], "quantities", records)


def machines(records: Records) -> str:
    """The processors, and the date and the versions of each record."""
    lines = []
    for processor, documents in records.items():
        lines.append(f"- {processor}")
        for name, document in documents.items():
            facts = document["machine"]
            versions = [f"Python {facts['python']}", *(f"{package} {it}" for package, it in facts["packages"].items())]
            lines.append(f"  - {name}, {document['date']}: {', '.join(versions)}")
    return "\n".join(lines)


def notes(records: Records) -> str:
    """What the rows of each benchmark mean, as its newest record says."""
    return "\n".join(f"- **{name}**: {_newest_first(records, name)[0][1]['note']}" for name in _names(records))


def _names(records: Records) -> list[str]:
    return sorted({name for documents in records.values() for name in documents})


def _newest_first(records: Records, name: str) -> list[tuple[str, dict[str, Any]]]:
    """The records of one benchmark with their processors."""
    found = [(processor, documents[name]) for processor, documents in records.items() if name in documents]
    return sorted(found, key=lambda one: one[1]["date"], reverse=True)


def _lines(records: Records, kind: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for name in _names(records):
        for processor, document in _newest_first(records, name):
            yield from ((processor, line) for line in document[kind])


def _table(head: list[str], kind: str, records: Records) -> str:
    """The table of one kind; rows that miss the newest target on some processor come first."""
    rows: dict[tuple[str, ...], dict[str, dict[str, Any]]] = {}
    for processor, line in _lines(records, kind):
        words = (line["work"], line["peer"]) if kind == "comparisons" else (line["work"],)
        rows.setdefault(words, {})[processor] = line
    written = []
    for words, row in rows.items():
        cells = [_shown(row[processor]) if processor in row else "" for processor in records]
        written.append([*words, *cells, _verdict(list(row.values()))])
    written.sort(key=lambda cells: not cells[-1].endswith("missed"))
    lead = [[*head, *records, "Target"], [":--"] * len(head) + ["--:"] * len(records) + [":--"]]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [*lead, *written])


def _shown(line: dict[str, Any]) -> str:
    if "ratio" in line:
        return f"{line['ratio']:.{0 if line['ratio'] >= 100 else 2}f}"
    theirs = "" if line["theirs"] is None else f" ({line['peer']}: {_digits(line['theirs'])})"
    return f"{_digits(line['ours'])} {line['unit']}{theirs}"


def _digits(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _verdict(row: list[dict[str, Any]]) -> str:
    """The newest target, and whether every processor that has the line reaches it."""
    target = row[0]["target"]
    if target is None:
        return ""
    at, values = row[0].get("at", "least"), [line["ratio" if "ratio" in line else "ours"] for line in row]
    held = all(value <= target if at == "most" else value >= target for value in values)
    promise = f"at {at} {target:g}" if "at" in row[0] else f"{target:g}"
    return f"{promise}, {'reached' if held else 'missed'}"
