"""The training command as torchrun runs it: the model of one process, also when processes are killed on the way."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock

from linebyline.pretrained import LANGUAGE_MODEL
from tests.linebyline.command import SMALL, main

COMMAND = Path(__file__).parent / "command.py"


@pytest.mark.slow
def test_two_killed_processes_keep_the_model_of_one(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    # A bar is drawn when it begins and when it ends: between, a slow machine draws it more often than a fast one.
    rare = os.environ | {"TQDM_MININTERVAL": "1000"}
    command = [sys.executable, str(COMMAND), str(one), str(two)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, env=rare)
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in two.iterdir()) == sorted(path.name for path in one.iterdir())
    whole, part = (LANGUAGE_MODEL.load(folder / "language_model.safetensors").record for folder in (one, two))
    assert part.recipe == whole.recipe == SMALL
    assert part.first == whole.first
    assert part.losses == pytest.approx(whole.losses, abs=2e-3)  # products may be in bfloat16
    assert [check[0] for check in part.checks] == [7, 14, 21, 28, 30]
    assert "SIGKILL" in done.stderr
    assert f" 14/{SMALL.steps} " in done.stderr  # the last start went on from a checkpoint
    assert done.stderr.count("100%|") == 2  # one bar of each training
    assert done.stderr.count(f"{SMALL.steps}/{SMALL.steps}") == 2


def test_a_second_run_is_refused(tmp_path: Path) -> None:
    words = "language_model.checkpoint.safetensors is being written by another run"
    with FileLock(tmp_path / "language_model.checkpoint.lock"), pytest.raises(RuntimeError, match=words):
        main(tmp_path)
    assert not list(tmp_path.glob("*.safetensors"))


def test_many_trainings_stay_in_one_process(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from clearformer.training import Processes
    from linebyline import train

    monkeypatch.setattr(Processes, "from_environment", lambda device: Processes(0, 3, device))
    monkeypatch.setattr(Processes, "__exit__", lambda self, *_: None)
    with pytest.raises(SystemExit):
        train.main(["swaps"])
    assert "swaps trains each model in one process, and there are 3 processes" in capsys.readouterr().err
