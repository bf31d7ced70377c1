"""Where a stranger's code runs: what is asked of Docker and bubblewrap, and nothing is chosen silently."""

import os
import sys
from pathlib import Path

import pytest

from linebyline.grading.isolation import (
    DOCKER_IMAGE,
    KINDS,
    WORKER_ENVIRONMENT,
    IsolationError,
    Limits,
    choose,
    command,
    probe,
    strip_package,
)
from linebyline.grading.judge import Item, judge_submission
from tests.linebyline.grading.helpers import AVERAGE, RIGHT, judged


def test_nothing_is_chosen_silently(monkeypatch) -> None:
    assert choose("none") == "none"
    with pytest.raises(IsolationError, match="expected auto, docker, bwrap, none as isolation, got 'jail'"):
        choose("jail")
    with pytest.raises(IsolationError, match="expected auto, docker, bwrap, none as isolation, got 'jail'"):
        judge_submission("", [], seed=1, isolation="jail")
    monkeypatch.setenv("PATH", "/nowhere")
    probe.cache_clear()
    try:
        with pytest.raises(
            IsolationError, match=r"docker: there is no command docker; bwrap: there is no command bwrap"
        ):
            choose("auto")
        with pytest.raises(IsolationError, match="there is no command bwrap"):
            choose("bwrap")
    finally:
        probe.cache_clear()


def test_what_a_worker_gets_of_the_package(tmp_path: Path) -> None:
    strip_package(tmp_path)
    course = tmp_path / "linebyline"
    assert sorted(str(path.relative_to(course)) for path in course.rglob("*.py") if path.stat().st_size) == [
        "exercises/__init__.py",
        *("exercises/core/memory.py", "exercises/core/on_copies.py"),
        *(f"grading/{name}.py" for name in ("peer", "protocol", "worker")),
    ]
    assert (tmp_path / "clearformer" / "functional" / "attention.py").exists()


OPTIONS = {
    "docker": "--network none, --read-only, --cap-drop ALL, --pull never, --user 65534:65534, --pids-limit 64, "
    "--volume /package:/library:ro",
    "bwrap": "--unshare-net, --unshare-pid, --die-with-parent, --cap-drop ALL, --clearenv, "
    "--ro-bind /package /library, --remount-ro /",
}


@pytest.mark.parametrize("kind", OPTIONS)
def test_isolation_asks_for_no_network_and_no_place_to_write(kind: str) -> None:
    text = " ".join(command(kind, Path("/package"), Limits()))
    assert [option for option in OPTIONS[kind].split(", ") if f" {option} " not in text] == []
    assert " --bind " not in text


DOCKER = f"""#!{sys.executable}
import os, sys, time
if sys.argv[1] == "kill":
    time.sleep(1.5)  # longer than from one alarm to the next
with open({{log!r}}, "a") as log:
    print(*sys.argv[1:4], file=log)
if sys.argv[1] == "run":
    library = sys.argv[sys.argv.index("--volume") + 1].split(":")[0]
    line = sys.argv[sys.argv.index("{DOCKER_IMAGE}") + 2 :]
    os.execv(sys.executable, ["python", *(part.replace("/library", library) for part in line)])
"""


def test_a_container_is_killed_by_its_name(monkeypatch, tmp_path: Path) -> None:
    """Here a script stands for Docker: the container would go on when the command that started it ends."""
    log, script = tmp_path / "log", tmp_path / "docker"
    script.write_text(DOCKER.format(log=str(log)))
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    code = f"{RIGHT}\ndef softmax(z):\n    while True:\n        pass\n"
    asked = [Item("attention.softmax"), Item(AVERAGE)]
    results = judge_submission(code, asked, seed=1, isolation="docker", limits=Limits(law_seconds=1))
    assert [outcome["status"] for outcome in results["exercises"]] == ["failed", "passed"]
    names = [line.split() for line in log.read_text().splitlines()]
    assert [line[0] for line in names] == ["run", "kill", "run", "kill"]
    assert names[0][2] == names[1][1] != names[2][2] == names[3][1]


def test_a_worker_that_does_not_start_is_no_failed_answer(monkeypatch, tmp_path: Path) -> None:
    script = tmp_path / "docker"
    script.write_text("#!/bin/sh\necho no such image >&2\nexit 1\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(IsolationError, match="docker: the worker did not start: no such image"):
        judge_submission(RIGHT, [Item(AVERAGE)], seed=1, isolation="docker")


def test_a_worker_is_told_nothing_of_its_surroundings(monkeypatch) -> None:
    monkeypatch.setenv("SECRET", "987654")
    assert "SECRET" not in WORKER_ENVIRONMENT
    for kind in KINDS:
        assert "987654" not in " ".join(command(kind, Path("/package"), Limits()))
    code = f"import os\n{RIGHT}\nif 'SECRET' in os.environ: del weighted_average\n"
    assert judged(code, Item(AVERAGE))[0]["status"] == "passed"
    assert os.environ["SECRET"] == "987654"
