"""One run writes a file: a second one is refused, and a killed one leaves no lock."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from clearformer.training import sole_writer

HOLDER = """
import sys
from clearformer.training.lock import sole_writer
with sole_writer(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="nothing is locked there")


def test_a_second_run_is_refused_until_the_first_has_ended(tmp_path: Path) -> None:
    path = tmp_path / "made" / "checkpoint.safetensors"
    with sole_writer(path), sole_writer(path.with_name("other.safetensors")):
        with pytest.raises(RuntimeError, match=f"written by another run, process {os.getpid()}$"), sole_writer(path):
            raise AssertionError("two runs at once")
        assert path.with_suffix(".lock").exists()  # who was refused has not taken it away
    with sole_writer(path):
        assert os.listdir(path.parent) == ["checkpoint.lock"]
    assert not list(path.parent.iterdir())


def test_ends_with_an_error_too(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint.safetensors"
    with pytest.raises(KeyboardInterrupt), sole_writer(path):
        raise KeyboardInterrupt
    with sole_writer(path):
        pass


def test_a_killed_run_leaves_no_lock(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint.safetensors"
    command = [sys.executable, "-c", HOLDER, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(RuntimeError, match=f"another run, process {holder.pid}$"), sole_writer(path):
            raise AssertionError("two runs at once")
        holder.send_signal(signal.SIGKILL)
        holder.wait()
    assert path.with_suffix(".lock").exists()
    with sole_writer(path):
        assert path.with_suffix(".lock").read_text() == str(os.getpid())


def test_a_lock_that_its_holder_has_just_removed_counts_as_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "checkpoint.safetensors"
    flock = pytest.importorskip("fcntl").flock
    monkeypatch.setattr("fcntl.flock", lambda *how: (flock(*how), path.with_suffix(".lock").unlink())[0])
    with pytest.raises(RuntimeError, match="written by another run, process unknown"), sole_writer(path):
        raise AssertionError("a lock nobody else would see")
