"""The judge: points by rule, deadlines, restarts, a process of its own, and who may look into it."""

import contextlib
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from linebyline.exercises import check, registry
from linebyline.grading.isolation import Limits
from linebyline.grading.judge import Item, fraction_of_points, judge_died, judge_submission, request
from tests.linebyline.grading.judged import AVERAGE, PLAIN, RIGHT, judged

pytestmark = pytest.mark.usefixtures("stripped_once")


# --- points ---


def laws(*held: bool, weights: tuple[int, ...] = ()) -> list[dict]:
    weighed = zip(held, weights or (1,) * len(held), strict=True)
    return [{"verdict": "holds" if h else "fails", "weight": w} for h, w in weighed]


def test_points_by_hand() -> None:
    assert fraction_of_points(laws(True, True, True), "all") == fraction_of_points(laws(True, True, True), "laws") == 1
    assert fraction_of_points(laws(True, False, True, True), "all") == 0
    assert fraction_of_points(laws(True, False, True, True), "laws") == 0.75
    assert fraction_of_points(laws(False, True, True, True), "laws") == 0  # the first must hold
    assert fraction_of_points(laws(True, False, True, weights=(1, 2, 3)), "laws") == 4 / 6
    assert fraction_of_points([], "laws") == 0


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


# --- deadlines and restarts ---


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


# --- a process of its own ---


def run(code: str, folder: Path, *asked: Item) -> subprocess.Popen[bytes]:
    line = request(code, asked, seed=1, isolation="none", limits=Limits(law_seconds=60))
    (folder / "request.json").write_text(line)
    paths = [str(folder / "request.json"), str(folder / "results.json")]
    return subprocess.Popen([sys.executable, "-m", "linebyline.grading.judge", *paths])


def test_results_are_written_whole_and_the_request_is_gone(tmp_path: Path) -> None:
    assert run(RIGHT, tmp_path, Item(AVERAGE)).wait(120) == 0
    results = json.loads((tmp_path / "results.json").read_text())
    assert results == judge_submission(RIGHT, [Item(AVERAGE)], seed=1, isolation="none")
    assert [path.name for path in tmp_path.iterdir()] == ["results.json"]


def test_who_kills_the_judge_and_writes_results_is_found_out(tmp_path: Path) -> None:
    forged = tmp_path / "results.json"
    code = f"import os, signal\nopen({str(forged)!r}, 'w').write('1')\nos.kill(os.getppid(), signal.SIGKILL)\n"
    assert run(code, tmp_path, Item(AVERAGE)).wait(120) == -signal.SIGKILL  # so the file does not count
    (outcome,) = judge_died([Item(AVERAGE)], "signal 9")["exercises"]
    assert (outcome["points"], outcome["status"], outcome["why"]) == (0, "died", "the judge died: signal 9")


def test_a_killed_judge_takes_its_worker_with_it(tmp_path: Path) -> None:
    told = tmp_path / "pid"
    code = f"import os, time\nopen({str(told)!r}, 'w').write(str(os.getpid()))\ntime.sleep(1000)\n"
    judge = run(code, tmp_path, Item(AVERAGE))
    worker = _when(lambda: int(told.read_text()))
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


def test_no_other_reads_the_judge() -> None:
    code = (
        "import ctypes\nfrom linebyline.grading.judge import limit_judge\nlimit_judge()\n"
        "print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout == b"0\n"


def test_points_of_the_registry_are_used() -> None:
    results = judge_died([Item(id) for id in registry()], "it was stopped")["exercises"]
    assert [result["of"] for result in results] == [exercise.points for exercise in registry().values()]
