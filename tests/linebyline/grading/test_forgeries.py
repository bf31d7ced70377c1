"""Forgeries: none gets points, each leaves a complete result, and the judge goes on."""

import json
import os
import socket
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

import clearformer
from linebyline.exercises import registry
from linebyline.grading import isolation as isolation_module
from linebyline.grading.isolation import NOT_STOPPED, Limits, probe
from linebyline.grading.judge import Item, judge_submission
from tests.linebyline.forgeries import BOMB, FORGERIES, FROM_DISK, LEAKS, ZEROS
from tests.linebyline.grading.helpers import RIGHT

pytestmark = pytest.mark.usefixtures("stripped_once")
SOURCE = str(Path(clearformer.__file__).parents[1])
QUICK = Limits(law_seconds=3.0, load_seconds=20.0, data_bytes=2**30, restarts=3)
# These go on until they are stopped, so they are stopped soon.
ENDLESS = {"loops", "loops at once", "asks a function for ever", "asks the judge without end", "takes all memory"}
SOON = replace(QUICK, law_seconds=1.0, load_seconds=1.5, data_bytes=2**28)
REACHED = {"reads the course", "reads a file of another", "writes a file of another", "sees the judge", "calls home"}


@pytest.fixture(params=["none", "bwrap", "docker"])
def isolation(request) -> str:
    if reason := probe(request.param):
        pytest.skip(f"{request.param}: {reason}")
    return str(request.param)


def judged(code: str, exercise_id: str, isolation: str, limits: Limits = QUICK) -> dict:
    results = judge_submission(code, [Item(exercise_id)], seed=987654, isolation=isolation, limits=limits)
    assert results["isolation"] == isolation
    (outcome,) = results["exercises"]
    assert outcome["status"] in {"passed", "failed", "unsolved", "missing"}
    names = [law.name for law in registry()[exercise_id].laws]
    if outcome["laws"]:
        assert [law["name"] for law in outcome["laws"]] == [*names, "inputs are not modified"]
    return outcome


def test_there_are_forgeries_of_every_kind() -> None:
    assert len(FORGERIES) + len(BOMB) + len(FROM_DISK) >= 50


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forgery_gets_no_points(isolation: str, name: str) -> None:
    exercise_id, code = FORGERIES[name]
    start = time.monotonic()
    outcome = judged(code, exercise_id, isolation, SOON if name in ENDLESS else QUICK)
    assert outcome["points"] == 0 and outcome["status"] != "passed", outcome
    assert time.monotonic() - start < 60


def test_processes_are_counted(isolation: str) -> None:
    if isolation == "none" and os.getuid() == 0:
        pytest.skip("none: root may have any number of processes")
    assert judged(*reversed(BOMB["forks without end"]), isolation)["points"] == 0


def test_honest_work_passes(isolation: str) -> None:
    """It may also write where files for a while are written, use PyTorch, and have threads."""
    code = f"""{RIGHT}
import tempfile, threading, torch
with tempfile.TemporaryFile() as file:
    file.write(bytes(1000))
x = torch.ones(2, requires_grad=True)
x.sum().backward()
started = threading.Thread(target=print)
started.start()
started.join()
"""
    results = judge_submission(code, [Item("attention.weighted_average")], seed=1, isolation=isolation)
    assert (results["stopped"], results["exercises"][0]["status"]) == ("", "passed")


@pytest.mark.parametrize("name", FROM_DISK)
def test_the_course_is_out_of_reach(isolation: str, name: str) -> None:
    code = FROM_DISK[name].format(source=SOURCE)
    outcome = judged(code, "attention.softmax", isolation)
    assert outcome["points"] == 0 or (isolation == "none" and name in NOT_STOPPED)


def test_a_course_among_the_libraries_is_hidden(monkeypatch) -> None:
    """As it lies when the package was installed, and not only linked."""
    if reason := probe("bwrap"):
        pytest.skip(f"bwrap: {reason}")
    system = isolation_module._system()
    monkeypatch.setattr(isolation_module, "_system", lambda: [*system, SOURCE])
    course = f"{SOURCE}/linebyline"
    reads = f"import os\nfound = os.listdir({course!r})\nos.stat({clearformer.__file__!r})\n1 / len(found)"
    results = judge_submission(reads, [Item("attention.softmax")], seed=1, isolation="bwrap", limits=QUICK)
    assert results["stopped"] == "line 4: ZeroDivisionError: division by zero"


def test_what_is_out_of_reach(isolation: str, tmp_path: Path) -> None:
    """One submission tries all; what it reached stands in its error. Without isolation much is reached."""
    other = tmp_path / "other.py"
    other.write_text("secret")
    with socket.create_server(("127.0.0.1", 0)) as server:
        host, port = server.getsockname()
        lines = [line.format(source=SOURCE, other=str(other), host=host, port=port) for line in LEAKS.values()]
        code = f"""
def weighted_average(weights, values):
    reached, closed = [], []
    for number, line in enumerate({lines!r}):
        try:
            exec(line, {{"leak": lambda number=number: reached.append(number)}})
        except OSError as error:  # anything else is a mistake of ours, and no closed door
            closed.append(error)
    raise RuntimeError(f"reached {{reached}}")
"""
        outcome = judged(code, "attention.weighted_average", isolation)
    reached = json.loads(outcome["laws"][0]["why"].split("RuntimeError: reached ")[-1])
    names = {list(LEAKS)[number] for number in reached}
    assert names >= REACHED if isolation == "none" else names == set()


def test_what_is_left_behind_ends_with_the_worker(isolation: str, tmp_path: Path) -> None:
    if isolation == "none":
        pytest.skip("none: a process that leaves the session lives on")
    code = f"{ZEROS}\nif os.fork() == 0:\n    os.setsid()\n    while True:\n        time.sleep(0.01)\n"
    mark = 10**6 + os.getpid()  # no other worker has it in its command line
    judged(code, "attention.weighted_average", isolation, replace(QUICK, cpu_seconds=mark))
    for _ in range(100):  # the system takes a moment to end what it has killed
        lines = [_read(path) for path in Path("/proc").glob("[0-9]*/cmdline")]
        left = [line for line in lines if f'"RLIMIT_CPU": {mark}'.encode() in line]
        if not left:
            break
        time.sleep(0.05)
    assert left == []


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def test_changes_of_arguments_are_seen(isolation: str) -> None:
    code = f"""{RIGHT}
right = weighted_average

def weighted_average(weights, values):
    found = right(weights, values)
    values += 1
    return found
"""
    outcome = judged(code, "attention.weighted_average", isolation)
    assert outcome["points"] == 0
    assert outcome["laws"][-1]["why"] == "expected the arguments back as they were, got changes in argument 2"
    assert "submission" not in sys.modules  # the code ran elsewhere
