"""The judge: points by rule, deadlines, restarts, and a process of its own, after which there is always a result."""

import contextlib
import json
import signal
import subprocess
import sys
import time
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from clearformer.cli import main as cli
from linebyline.exercises import check
from linebyline.grading.isolation import Limits
from linebyline.grading.judge import Item, fraction_of_points, judge_in_process, judge_submission, request
from tests.linebyline.grading.helpers import AVERAGE, PLAIN, RIGHT, hand_in, judged, rows, write

pytestmark = pytest.mark.usefixtures("stripped_once")


@pytest.mark.parametrize(
    ("held", "weights", "credit", "fraction"),
    [
        ([True, True, True], [1, 1, 1], "all", 1),
        ([True, True, True], [1, 1, 1], "laws", 1),
        ([True, False, True, True], [1, 1, 1, 1], "all", 0),
        ([True, False, True, True], [1, 1, 1, 1], "laws", 0.75),
        ([False, True, True, True], [1, 1, 1, 1], "laws", 0),  # the first must hold
        ([True, False, True], [1, 2, 3], "laws", 4 / 6),
        ([], [], "laws", 0),
    ],
)
def test_points_by_hand(held, weights, credit, fraction) -> None:
    laws = [{"verdict": "holds" if h else "fails", "weight": w} for h, w in zip(held, weights, strict=True)]
    assert fraction_of_points(laws, credit) == fraction


def test_an_exercise_counts_by_its_rule() -> None:
    all_laws, by_law, own = judged(
        PLAIN, Item(AVERAGE), Item(AVERAGE, credit="laws", points=12), Item(AVERAGE, entry="absent")
    )
    assert (all_laws["points"], all_laws["of"], all_laws["status"]) == (0, 1, "failed")
    assert (by_law["points"], by_law["of"]) == (10, 12)  # five of six hold
    assert (own["points"], own["status"], own["why"]) == (0, "missing", "there is no answer named absent")


@pytest.mark.parametrize("body", ["return None", "return values.mean(axis=0)", "raise NotImplementedError"])
def test_doing_nothing_earns_nothing(body: str) -> None:
    code = f"def weighted_average(weights, values):\n    {body}\n"
    assert judged(code, Item(AVERAGE, credit="laws"))[0]["points"] == 0


def test_a_predicted_number_is_taken_from_check() -> None:
    code = 'from linebyline.exercises import check\ncheck("attention.score_spread", {})\nlost_bias = "none"'
    for number, points in (("32", 2), ("40", 0), ("..., seed=1", 0)):
        spread, bias = judged(code.format(number), Item("attention.score_spread"), Item("attention.lost_bias"))
        assert spread["points"] == points and bias["status"] == "failed"


def test_a_submission_that_stops_keeps_what_stands_before() -> None:
    results = judge_submission(f"{RIGHT}\n1 / 0\n", [Item(AVERAGE)], seed=1, isolation="none")
    assert results["exercises"][0]["status"] == "passed"
    assert results["stopped"] == "line 7: ZeroDivisionError: division by zero"
    assert judge_submission("a b", [Item(AVERAGE)], seed=1, isolation="none")["stopped"].startswith(
        "line 1: SyntaxError"
    )


def test_the_seed_draws_the_cases() -> None:
    """The case worked by hand is the same, the others are not, and 0 is a seed like any other."""
    wrong = "def weighted_average(weights, values):\n    return weights @ values / 4\n"
    said = {seed: [law["why"] for law in judged(wrong, Item(AVERAGE), seed=seed)[0]["laws"]] for seed in (0, 1)}
    names: dict[str, object] = {}
    exec(wrong, names)
    public = [result.message for result in check(AVERAGE, names["weighted_average"]).results]
    assert said[0] != said[1] and public not in said.values()
    with pytest.raises(ValueError, match="non-negative"):
        judged(wrong, Item(AVERAGE), seed=-1)


def test_an_unknown_exercise_is_refused() -> None:
    with pytest.raises(KeyError, match="did you mean"):
        judged("", Item("attention.weighted_avrage"))


def test_after_a_deadline_the_other_laws_are_skipped_and_the_next_exercise_is_not() -> None:
    code = f"{RIGHT}\nimport time\ndef softmax(z):\n    time.sleep(100)\n"
    softmax, average = judged(code, Item("attention.softmax"), Item(AVERAGE), limits=Limits(law_seconds=2))
    assert [law["verdict"] for law in softmax["laws"]] == ["fails", *["skipped"] * 5]
    assert softmax["laws"][0]["why"] == "expected an end within 2 seconds, got none"
    assert average["status"] == "passed"


def test_a_worker_that_ends_is_started_again() -> None:
    """All but one law are held against it, in new processes, until it has ended too often."""
    code = f"""{RIGHT}
right = weighted_average

def weighted_average(weights, values):
    weights.sum() == 0 and __import__("os")._exit(0)
    return right(weights, values)
"""
    (outcome,) = judged(code, Item(AVERAGE))
    assert [law["verdict"] for law in outcome["laws"]] == ["holds", "holds", "holds", "holds", "fails", "holds"]
    ends = "import os\ndef weighted_average(w, v):\n    os._exit(0)\n"
    (outcome,) = judged(ends, Item(AVERAGE), limits=Limits(restarts=1))
    assert [law["verdict"] for law in outcome["laws"]] == ["fails", "fails", *["skipped"] * 4]


def run(code: str, folder: Path) -> subprocess.Popen[bytes]:
    fields = request(code, [Item(AVERAGE)], seed=1, isolation="none", limits=Limits(law_seconds=60))
    (folder / "request.json").write_text(fields)
    paths = [str(folder / "request.json"), str(folder / "results.json")]
    return subprocess.Popen([sys.executable, "-m", "linebyline.grading.judge", *paths])


def test_results_are_written_whole_and_the_request_is_gone(tmp_path: Path) -> None:
    assert run(RIGHT, tmp_path).wait(120) == 0
    results = json.loads((tmp_path / "results.json").read_text())
    assert results == judge_submission(RIGHT, [Item(AVERAGE)], seed=1, isolation="none")
    assert [path.name for path in tmp_path.iterdir()] == ["results.json"]


def test_a_submission_that_kills_the_judge_and_writes_results_is_found_out(tmp_path: Path) -> None:
    forged = tmp_path / "results.json"
    code = f"import os, signal\nopen({str(forged)!r}, 'w').write('1')\nos.kill(os.getppid(), signal.SIGKILL)\n"
    assert run(code, tmp_path).wait(120) == -signal.SIGKILL  # so the file does not count


def test_a_killed_judge_takes_its_worker_with_it(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    code = f"import os, time\nopen({str(pid)!r}, 'w').write(str(os.getpid()))\ntime.sleep(1000)\n"
    judge = run(code, tmp_path)
    worker = _when(lambda: int(pid.read_text()))
    judge.kill()
    judge.wait()
    assert not (tmp_path / "results.json").exists()
    _when(lambda: _ended(worker))


def _when(ready, seconds: float = 60.0):
    """Wait for a value."""
    end = time.monotonic() + seconds
    while True:
        with contextlib.suppress(OSError, ValueError):
            if value := ready():
                return value
        assert time.monotonic() < end
        time.sleep(0.02)


def _ended(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().split()[2] == "Z"
    except FileNotFoundError:
        return True


def test_no_other_process_reads_the_judge() -> None:
    code = "import ctypes\nfrom linebyline.grading.judge import limit_judge\nlimit_judge()\n"
    code += "print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout == b"0\n"


ITEMS = [Item("attention.softmax", "softmax", 2.0), Item("attention.doubled", "doubled", 1.0)]
WRITES = "import json, sys; json.dump({}, open(sys.argv[2], 'w'))"


def reason(script: str, seconds: float = 30.0) -> str:
    """Why there are no results if the judge is this script."""
    options = {"seed": 7, "isolation": "none", "limits": Limits(), "seconds": seconds}
    results = judge_in_process("x = 1", ITEMS, command=[sys.executable, "-c", script], **options)["exercises"]
    assert [(result["id"], result["points"], result["status"]) for result in results] == [
        (item.id, 0.0, "died") for item in ITEMS
    ]
    (why,) = {result["why"] for result in results}
    return str(why).removeprefix("the judge died: ")


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
    assert reason(script) == why


@pytest.mark.parametrize(("ending", "why"), [("time.sleep(60)", "it took more than 3 s"), ("", "it left no results")])
def test_what_a_judge_has_started_ends_with_it(tmp_path, ending, why):
    mark = tmp_path / "alive"
    child = f"import time; time.sleep(5); open({str(mark)!r}, 'w')"
    script = f"import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', {child!r}]); {ending}"
    start = time.monotonic()
    assert reason(script, seconds=3).startswith(why)
    assert time.monotonic() - start < 30
    time.sleep(6)
    assert not mark.exists()


def test_the_request_has_the_code_and_nobody_else_may_read_it(tmp_path):
    kept = tmp_path / "request.json"
    script = f"import os, shutil, sys; shutil.copy(sys.argv[1], {str(kept)!r}); "
    assert "it left no results" in reason(f"{script}assert os.stat(sys.argv[1]).st_mode % 64 == 0")
    fields = json.loads(kept.read_text())
    assert (fields["code"], fields["seed"], fields["isolation"]) == ("x = 1", 7, "none")
    assert [item["entry"] for item in fields["exercises"]] == ["softmax", "doubled"]


def test_the_commands_assign_and_grade(tmp_path, monkeypatch, capsys):
    """From the hand-out to the gradebook, with the true judge."""
    found = EntryPoint("grading", "linebyline.grading.command:add", cli.GROUP)
    monkeypatch.setattr(cli, "entry_points", lambda group: [found] if group == cli.GROUP else [])
    file, out = str(write(tmp_path)), tmp_path / "out"
    assert cli.main(["assign", file, "-o", str(tmp_path / "a1")]) == 0
    assert capsys.readouterr().out.splitlines() == [str(tmp_path / "a1" / name) for name in ("a1.ipynb", "README.md")]
    softmax = "def softmax(z):\n    e = np.exp(z - z.max(axis=-1, keepdims=True))\n"
    softmax += "    return e / e.sum(axis=-1, keepdims=True)"
    source = f'import numpy as np\n{softmax}\ncheck("attention.doubled", np.array([36, 9, 1]) / 46)\nprint(undefined)'
    submissions = hand_in(tmp_path / "in", ada=source)
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
