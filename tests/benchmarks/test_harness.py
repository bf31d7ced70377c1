"""The harness of the benchmarks: what it times, keeps and writes."""

import json
import os
import re
from pathlib import Path

import pytest

from benchmarks import harness
from benchmarks.harness import RESULTS, Comparison, Quantity, compare, middle, peak_memory, read, record

PATHS = sorted(RESULTS.glob("*/*.json"))
FACTS = {"processor": "Quick(TM) 7/3 @ 2GHz", "cores": 5, "system": "Linux x86_64", "python": "3.11.7", "packages": {}}
LINE = Comparison("work", "peer", 1.0, 2.0, 2.0, None, 1)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_record_is_complete_and_names_no_host_and_no_path(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    document = json.loads(text)
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", document["date"])
    assert set(document["machine"]) == {"processor", "cores", "system", "python", "packages"}
    assert document["comparisons"] or document["quantities"]
    assert document["note"].endswith(".")
    for line in document["comparisons"]:
        assert line["ratio"] == pytest.approx(line["peer_seconds"] / line["ours_seconds"])
        assert (line["low"] or line["ratio"]) <= line["ratio"] <= (line["high"] or line["ratio"])
    assert not re.search(r"/|\b(host|user|node)(name)?s?\b", text, re.IGNORECASE)


def test_calls_take_turns_and_the_ratio_says_how_many_times_faster_ours_is() -> None:
    calls: list[str] = []
    line = compare("work", "peer", lambda: calls.append("ours"), lambda: calls.append("peer"), rounds=3)
    assert calls == ["ours", "peer", "peer", "ours", "ours", "peer"]
    assert line.ratio == line.peer_seconds / line.ours_seconds
    assert line.low is not None and line.high is not None and 0 < line.low <= line.ratio <= line.high


def test_the_process_in_the_middle_counts_with_the_ends_of_all() -> None:
    runs = [Comparison("work", "peer", 1.0, ratio, ratio, None, 1) for ratio in (9.0, 1.0, 3.0, 2.0, 8.0)]
    line = middle(runs)
    assert isinstance(line, Comparison) and (line.low, line.ratio, line.high) == (1.0, 3.0, 9.0)


def test_a_peak_is_what_was_held_at_one_time() -> None:
    def work() -> bytearray:
        bytearray(3_000_000)
        return bytearray(2_000_000)

    assert 3_000_000 <= peak_memory(work) < 3_100_000


@pytest.mark.parametrize(
    ("target", "at", "reached"),
    [(None, "most", True), (2.0, "most", True), (1.9, "most", False), (2.0, "least", True), (2.1, "least", False)],
)
def test_a_quantity_reaches_its_target(target: float | None, at: str, reached: bool) -> None:
    line = Quantity("work", 2.0, "MB", target, at)  # type: ignore[arg-type]
    assert line.reached is reached
    assert ("MISSED" in str(line)) is not reached


def test_a_run_replaces_the_records_of_its_own_processor_only(tmp_path: Path) -> None:
    slower = {**FACTS, "cores": 3}
    for facts, note in ((FACTS, "First."), (slower, "First."), (slower, "Second.")):
        record("steps", facts, note, [LINE], results=tmp_path)
    notes = {processor: made["steps"]["note"] for processor, made in read(tmp_path).items()}
    assert notes == {
        "Quick(TM) 7/3 @ 2GHz, 3 cores, Linux x86_64": "Second.",
        "Quick(TM) 7/3 @ 2GHz, 5 cores, Linux x86_64": "First.",
    }
    assert (tmp_path / "quick-tm-7-3-2ghz-5-cores-linux-x86-64" / "steps.json").is_file()


def test_a_part_runs_alone_on_two_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = "import os, sys\nfrom benchmarks import harness\n"
    code += "def part():\n    yield harness.quantity('threads', int(os.environ['OMP_NUM_THREADS']), 'threads')\n"
    (tmp_path / "one_part.py").write_text(f"{code}harness.main('one_part', {{'part': part}}, [], 'A note.')\n")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])]))
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.chdir(Path(harness.__file__).parents[1])
    assert harness.run_alone("one_part", "part") == [Quantity("threads", 2.0, "threads")]
