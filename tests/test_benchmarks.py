"""Laws of the recorded benchmarks, which the book prints: complete, and silent on whose machine it was."""

import json
import os
import re
from pathlib import Path

import pytest

from benchmarks.harness import Memory, compare, peak_memory, typical

RESULTS = sorted((Path(__file__).parents[1] / "benchmarks" / "results").glob("*.json"))


def test_something_is_recorded():
    assert RESULTS


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.stem)
def test_a_record_is_complete(path):
    record = json.loads(path.read_text(encoding="utf-8"))
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", record["date"])
    assert set(record["machine"]) == {"processor", "cores", "system", "python", "packages"}
    for line in record["comparisons"]:
        assert line["ratio"] == pytest.approx(line["peer_seconds"] / line["ours_seconds"])
        assert line["rounds"] >= 1
    for line in record["memory"]:
        assert line["ours"] > 0
        assert (line["peer"] is None) == (line["theirs"] is None)
        assert line["unit"]
    assert record["note"].endswith(".")


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.stem)
def test_a_record_names_no_host_and_no_path(path):
    text = path.read_text(encoding="utf-8")
    assert "/" not in text
    assert not re.search(r"host|user|node", text, re.IGNORECASE)


def test_streaming_attention_is_measured_against_what_it_replaces():
    record = json.loads((RESULTS[0].parent / "attention.json").read_text(encoding="utf-8"))
    targets = {line["peer"]: line["target"] for line in record["comparisons"]}
    assert targets == {"PyTorch, fused": 1.0, "PyTorch, naive, autograd": 4.0, "NumPy, naive": None}
    (memory,) = record["memory"]
    assert memory["unit"] == "MB"
    assert memory["ours"] <= memory["target"] == 40
    assert memory["theirs"] > 8 * 4096 * 4096 * 4 / 1e6  # at least one score in float32 for each pair and head


def test_a_peak_is_what_was_held_at_a_time():
    def work():
        bytearray(3_000_000)
        return bytearray(2_000_000)

    assert 3_000_000 <= peak_memory(work) < 3_100_000


@pytest.mark.parametrize(("target", "holds"), [(None, True), (2.0, True), (1.9, False)])
def test_memory_is_held_against_its_target(target, holds):
    line = Memory("work", 2.0, "MB", target, "peer", 30.0)
    assert line.holds is holds
    assert ("MISSED" in str(line)) is not holds


def test_a_ratio_says_how_many_times_faster_ours_is():
    calls = []
    line = compare("work", "peer", lambda: calls.append("ours"), lambda: calls.append("peer"), rounds=3)
    assert calls == ["ours", "peer", "peer", "ours", "ours", "peer"]
    assert line.ratio == line.peer_seconds / line.ours_seconds
    assert line.holds


LOTTERY = """
import sys
from pathlib import Path
from benchmarks.harness import Comparison, print_for_parent
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
    assert line.ratio == 3
    assert (tmp_path / "draws").read_text() == ""
