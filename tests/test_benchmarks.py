"""Laws of the recorded benchmarks, which the book prints: complete, and silent on whose machine it was."""

import json
import re
from pathlib import Path

import pytest

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


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.stem)
def test_a_record_names_no_host_and_no_path(path):
    text = path.read_text(encoding="utf-8")
    assert "/" not in text
    assert not re.search(r"host|user|node", text, re.IGNORECASE)
