"""A judge is a process: whatever becomes of it, there is a result, and nothing it has started stays."""

import json
import sys
import time
from importlib.metadata import EntryPoint

import pytest

from clearformer.cli import main as cli
from linebyline.grading.isolation import Limits
from linebyline.grading.judge import Item, judge_in_process
from tests.linebyline.grading.graded import hand_in, rows, write

ASKED = [Item("attention.softmax", "softmax", 2.0), Item("attention.doubled", "doubled", 1.0)]
WRITES = "import json, sys; json.dump({}, open(sys.argv[2], 'w'))"


def judged(script: str, seconds: float = 30.0) -> list[dict]:
    command = [sys.executable, "-c", script]
    results = judge_in_process(
        "x = 1", ASKED, seed=7, isolation="none", limits=Limits(), seconds=seconds, command=command
    )
    return results["exercises"]


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "it ended with signal SIGKILL"),
        ("raise MemoryError('too much')", "it ended with status 1: MemoryError: too much"),
        ("pass", "it left no results (FileNotFoundError)"),
        ("import sys; open(sys.argv[2], 'w').write('{')", "it left no results (JSONDecodeError)"),
        (WRITES.format("[]"), "it left no results (TypeError)"),
        (WRITES.format("{'exercises': []}"), "it left no results (LookupError)"),
    ],
)
def test_a_judge_without_results_gives_no_points_and_the_reason(script, why):
    results = judged(script)
    assert [result["id"] for result in results] == [asked.id for asked in ASKED]
    assert {(result["points"], result["status"]) for result in results} == {(0.0, "died")}
    assert {result["why"] for result in results} == {f"the judge died: {why}"}


@pytest.mark.parametrize(
    ("ending", "why"), [("time.sleep(60)", "it took more than 3 seconds"), ("", "it left no results")]
)
def test_what_a_judge_has_started_ends_with_it(tmp_path, ending, why):
    mark = tmp_path / "alive"
    child = f"import time; time.sleep(5); open({str(mark)!r}, 'w')"
    script = f"import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', {child!r}]); {ending}"
    start = time.monotonic()
    assert {result["why"][: len(why) + 16] for result in judged(script, seconds=3)} == {f"the judge died: {why}"}
    assert time.monotonic() - start < 30
    time.sleep(6)
    assert not mark.exists()


def test_the_judge_is_asked_for_what_was_found(tmp_path):
    kept = tmp_path / "request.json"
    script = f"import os, shutil, sys; shutil.copy(sys.argv[1], {str(kept)!r}); "
    script += "assert os.stat(sys.argv[1]).st_mode % 64 == 0"  # nobody else may read the seed
    assert "it left no results" in judged(script)[0]["why"]
    request = json.loads(kept.read_text())
    assert (request["code"], request["seed"], request["isolation"]) == ("x = 1", 7, "none")
    assert [asked["entry"] for asked in request["exercises"]] == ["softmax", "doubled"]


def test_the_commands_assign_and_grade(tmp_path, monkeypatch, capsys):
    """From the hand-out to the gradebook, with the true judge."""
    found = EntryPoint("grading", "linebyline.grading.command:add", cli.GROUP)
    monkeypatch.setattr(cli, "entry_points", lambda group: [found] if group == cli.GROUP else [])
    file = str(write(tmp_path))
    assert cli.main(["assign", file, "-o", str(tmp_path / "a1")]) == 0
    assert capsys.readouterr().out.splitlines() == [str(tmp_path / "a1" / name) for name in ("a1.ipynb", "README.md")]
    softmax = "def softmax(z):\n    e = np.exp(z - z.max(axis=-1, keepdims=True))\n"
    softmax += "    return e / e.sum(axis=-1, keepdims=True)"
    source = f'import numpy as np\n{softmax}\ncheck("attention.doubled", np.array([36, 9, 1]) / 46)\nprint(undefined)'
    submissions = hand_in(tmp_path / "in", ada=source)
    out = tmp_path / "out"
    command = ["grade", file, str(submissions), "-o", str(out), "--isolate", "none", "--jobs", "1"]
    assert cli.main(command) == 0
    row = rows(out)["ada"]
    points = [row[id] for id in ("attention.weighted_average", "attention.doubled", "attention.softmax")]
    assert (points, row["isolation"]) == (["0", "1", "4"], "none")
    assert cli.main([*command, "--student", "bob"]) == 1
    assert "nothing was handed in by 'bob'" in capsys.readouterr().err
    assert cli.main(["grade", "--help"]) == 0
    monkeypatch.setattr("sys.platform", "darwin")
    assert cli.main([*command, "--student", "ada"]) == 1
    assert "grading needs what Linux alone has" in capsys.readouterr().err
    assert rows(out)["ada"] == row


def test_commands_of_the_library_look_for_no_others(monkeypatch):
    monkeypatch.setattr(cli, "entry_points", lambda group: pytest.fail("looked"))
    assert cli.main(["info", "nowhere"]) == 1
