"""Laws of the benchmarks: records are complete and silent on whose machine it was, and what they say is measured."""

import json
import os
import re
from pathlib import Path

import pytest

from benchmarks.harness import compare, peak_memory, typical
from benchmarks.lines import Quantity
from benchmarks.records import RESULTS, folder_name, read, record

PATHS = sorted(RESULTS.glob("*/*.json"))
ATTENTION = [path for path in PATHS if path.stem == "attention"]
FACTS = {"processor": "Quick(TM) 7/3 @ 2GHz", "cores": 5, "system": "Linux x86_64", "python": "3.11.7", "packages": {}}


def name(path):
    return f"{path.parent.name}, {path.stem}"


def test_something_is_recorded():
    assert ATTENTION


@pytest.mark.parametrize("path", PATHS, ids=name)
def test_a_record_is_complete(path):
    record = json.loads(path.read_text(encoding="utf-8"))
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", record["date"])
    assert set(record["machine"]) == {"processor", "cores", "system", "python", "packages"}
    assert record["comparisons"] or record["quantities"]
    for line in record["comparisons"]:
        assert line["ratio"] == pytest.approx(line["peer_seconds"] / line["ours_seconds"])
        assert line["rounds"] >= 1
        assert (line.get("low") or line["ratio"]) <= line["ratio"] <= (line.get("high") or line["ratio"])
    for line in record["quantities"]:
        assert line["ours"] > 0
        assert (line["peer"] is None) == (line["theirs"] is None)
        assert line["unit"]
        assert line["at"] in ("most", "least")
    assert record["note"].endswith(".")


@pytest.mark.parametrize("path", PATHS, ids=name)
def test_a_record_lies_with_its_processor_and_make_bench_would_write_it_again(path):
    assert path.parent.name == folder_name(json.loads(path.read_text(encoding="utf-8"))["machine"])
    makefile = (RESULTS.parents[1] / "Makefile").read_text(encoding="utf-8")
    assert re.search(rf"-m benchmarks\.{path.stem}( \$\(PAGES\))?$", makefile, re.MULTILINE)


@pytest.mark.parametrize("path", PATHS, ids=name)
def test_a_record_names_no_host_and_no_path(path):
    text = path.read_text(encoding="utf-8")
    assert "/" not in text
    assert not re.search(r"\b(host|user|node)(name)?s?\b", text, re.IGNORECASE)


@pytest.mark.parametrize("path", ATTENTION, ids=name)
def test_streaming_attention_is_measured_against_what_it_replaces(path):
    record = json.loads(path.read_text(encoding="utf-8"))
    targets = {line["peer"]: line["target"] for line in record["comparisons"]}
    assert targets == {"PyTorch, fused": 1.0, "PyTorch, naive, autograd": 4.0, "NumPy, naive": None}
    (memory,) = record["quantities"]
    assert memory["unit"] == "MB"
    assert memory["ours"] <= memory["target"] == 40
    assert memory["theirs"] > 8 * 4096 * 4096 * 4 / 1e6  # at least one score in float32 for each pair and head


def test_a_folder_is_named_by_processor_cores_and_system():
    assert folder_name(FACTS) == "quick-tm-7-3-2ghz-5-cores-linux-x86-64"


def test_a_run_replaces_the_records_of_its_own_processor_only(tmp_path):
    slower = {**FACTS, "cores": 3}
    for facts in (FACTS, slower):
        record("steps", facts, "First.", results=tmp_path)
    record("steps", {**slower, "python": "3.13.1"}, "Second.", results=tmp_path)
    notes = {processor: made["steps"]["note"] for processor, made in read(tmp_path).items()}
    assert notes == {
        "Quick(TM) 7/3 @ 2GHz, 3 cores, Linux x86_64": "Second.",
        "Quick(TM) 7/3 @ 2GHz, 5 cores, Linux x86_64": "First.",
    }


def test_a_record_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = record("steps", FACTS, "First.", results=tmp_path)
    before = path.read_bytes()

    def half(handle):
        os.ftruncate(handle, len(before) // 2)
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", half)
    with pytest.raises(OSError, match="disk full"):
        record("steps", FACTS, "Second.", results=tmp_path)
    assert path.read_bytes() == before
    assert read(tmp_path).popitem()[1]["steps"]["note"] == "First."


def test_a_peak_is_what_was_held_at_a_time():
    def work():
        bytearray(3_000_000)
        return bytearray(2_000_000)

    assert 3_000_000 <= peak_memory(work) < 3_100_000


@pytest.mark.parametrize(
    ("target", "at", "holds"),
    [(None, "most", True), (2.0, "most", True), (1.9, "most", False), (2.0, "least", True), (2.1, "least", False)],
)
def test_a_quantity_is_held_against_its_target(target, at, holds):
    line = Quantity("work", 2.0, "MB", target, at, "peer", 30.0)
    assert line.holds is holds
    assert ("MISSED" in str(line)) is not holds
    assert (f"target at {at}" in str(line)) is (target is not None)


def test_a_ratio_says_how_many_times_faster_ours_is():
    calls = []
    line = compare("work", "peer", lambda: calls.append("ours"), lambda: calls.append("peer"), rounds=3)
    assert calls == ["ours", "peer", "peer", "ours", "ours", "peer"]
    assert line.ratio == line.peer_seconds / line.ours_seconds
    assert 0 < line.low <= line.ratio <= line.high
    assert line.holds


LOTTERY = """
import os
import sys
from pathlib import Path
from benchmarks.harness import print_for_parent
from benchmarks.lines import Comparison
assert os.environ["OMP_NUM_THREADS"] == os.environ["OPENBLAS_NUM_THREADS"] == "2"
drawn = Path(sys.argv[1])
draws = drawn.read_text().split()
drawn.write_text(" ".join(draws[1:]))
print_for_parent([Comparison("work", "peer", 1.0, float(draws[0]), float(draws[0]), None, 1)])
"""


def test_the_process_in_the_middle_counts(tmp_path, monkeypatch):
    (tmp_path / "lottery.py").write_text(LOTTERY)
    (tmp_path / "draws").write_text("9 1 3 2 8")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), str(Path(__file__).parents[1])]))
    (line,) = typical("lottery", str(tmp_path / "draws"))
    assert (line.low, line.ratio, line.high) == (1, 3, 9)
    assert (tmp_path / "draws").read_text() == ""
