"""Records of benchmarks: a folder for each processor, and in it a file for each benchmark that ran there.

A file is written whole or not at all, and a processor's files are replaced by runs on that processor alone.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.lines import Comparison, Quantity
from clearformer.files import write_whole
from linebyline.machine import machine

__all__ = ["RESULTS", "folder_name", "machine", "machine_line", "processor_line", "read", "record", "versions_line"]

RESULTS = Path(__file__).parent / "results"


def processor_line(facts: dict[str, Any]) -> str:
    """The part of a machine that a record belongs to: processor, cores and system."""
    return f"{facts['processor']}, {facts['cores']} cores, {facts['system']}"


def versions_line(facts: dict[str, Any]) -> str:
    """The part of a machine that each record may have anew: Python and the packages."""
    return ", ".join([f"Python {facts['python']}", *(f"{name} {it}" for name, it in facts["packages"].items())])


def machine_line(facts: dict[str, Any]) -> str:
    """All of it."""
    return f"{processor_line(facts)}, {versions_line(facts)}"


def folder_name(facts: dict[str, Any]) -> str:
    """The processor line in letters that every file system takes."""
    return re.sub(r"[^a-z0-9]+", "-", processor_line(facts).lower()).strip("-")


def record(
    name: str,
    facts: dict[str, Any],
    note: str,
    comparisons: Iterable[Comparison] = (),
    quantities: Iterable[Quantity] = (),
    *,
    results: Path = RESULTS,
) -> Path:
    """Write what a benchmark measured, with the date, the machine and a note for the reader."""
    document = {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": facts,
        "note": note,
        "comparisons": [asdict(line) for line in comparisons],
        "quantities": [asdict(line) for line in quantities],
    }
    path = results / folder_name(facts) / f"{name}.json"
    write_whole(path, json.dumps(document, indent=2) + "\n")
    return path


def read(results: Path = RESULTS) -> dict[str, dict[str, dict[str, Any]]]:
    """Every record, by processor and then by benchmark."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for path in sorted(results.glob("*/*.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        found.setdefault(processor_line(document["machine"]), {})[path.stem] = document
    return found
