"""The training command under torchrun: the model of one process, also when processes are killed on the way."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from command import SMALL

from clearformer.course import pretrained
from clearformer.training import sole_writer

COMMAND = Path(__file__).parent / "command.py"
TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]


def run(*command: str) -> subprocess.CompletedProcess[str]:
    # A bar is drawn when it begins and when it ends: between, a slow machine draws it more often than a fast one.
    rare = os.environ | {"TQDM_MININTERVAL": "1000"}
    return subprocess.run(command, capture_output=True, text=True, timeout=240, env=rare)


@pytest.mark.slow
def test_two_killed_processes_keep_the_model_of_one(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    done = run(sys.executable, str(COMMAND), str(one))
    assert done.returncode == 0, done.stderr
    done = run(*TORCHRUN, "--max-restarts", "2", str(COMMAND), str(two), "--kills")
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in two.iterdir()) == sorted(path.name for path in one.iterdir())
    whole, part = (pretrained.load(folder / "language_model.safetensors").record for folder in (one, two))
    assert part.recipe == whole.recipe == SMALL
    assert part.first == whole.first
    assert part.losses == pytest.approx(whole.losses, abs=2e-3)  # products may be in bfloat16
    assert [check[0] for check in part.checks] == [7, 14, 21, 28, 30]
    assert done.stderr.count("100%") == 1  # one bar
    assert f"{SMALL.steps}/{SMALL.steps}" in done.stderr


def test_a_second_run_is_refused(tmp_path: Path) -> None:
    with sole_writer(tmp_path / "language_model.checkpoint.safetensors"):
        done = run(sys.executable, str(COMMAND), str(tmp_path))
    assert done.returncode == 1
    assert "language_model.checkpoint.safetensors is being written by another run, process" in done.stderr
    assert not list(tmp_path.glob("*.safetensors"))


def test_many_trainings_stay_in_one_process(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from clearformer.course import train
    from clearformer.training import Processes

    monkeypatch.setattr(Processes, "from_environment", lambda device: Processes(0, 3, torch.device(device)))
    monkeypatch.setattr(Processes, "__exit__", lambda self, *_: None)
    with pytest.raises(SystemExit):
        train.main(["swaps"])
    assert "swaps makes trainings of one process each, and there are 3 processes" in capsys.readouterr().err
