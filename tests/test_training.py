"""Training: the loss, the schedule, the windows, and checkpoints from which it goes on bit by bit the same."""

import math
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from clearformer.models import Decoder, DecoderConfig
from clearformer.training import (
    Trainer,
    cross_entropy,
    load_tensors,
    load_weights,
    save_tensors,
    token_windows,
    warmup_cosine,
)

CONFIG = DecoderConfig(vocab_size=11, context=8, d_model=8, n_heads=2, n_layers=1, d_ff=16)
TEXT = torch.arange(200) % 11


def trainer(seed: int = 0, config: DecoderConfig = CONFIG, **options) -> Trainer:
    generator = torch.Generator().manual_seed(seed)
    model, batches = Decoder(config, generator=generator), token_windows(TEXT, batch=4, length=8)
    return Trainer(model, batches, warmup_cosine(0.03, 3, 20), generator=generator, **options)


def weights(trained: Trainer) -> torch.Tensor:
    return torch.cat([p.detach().flatten() for p in trained.model.parameters()])


@given(st.integers(0, 2**32 - 1), st.integers(1, 7), st.integers(2, 11))
def test_cross_entropy_equals_torch_with_gradient(seed: int, T: int, vocab_size: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    logits = (30 * torch.randn(3, T, vocab_size, generator=generator, dtype=torch.float64)).requires_grad_()
    targets = torch.randint(vocab_size, (3, T), generator=generator)
    got = cross_entropy(logits, targets)
    expected = torch.nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten())
    torch.testing.assert_close(got, expected, rtol=1e-12, atol=1e-12)
    mine, theirs = (torch.autograd.grad(loss, logits)[0] for loss in (got, expected))
    torch.testing.assert_close(mine, theirs, rtol=1e-10, atol=1e-14)


def test_cross_entropy_refuses(unchecked) -> None:
    with pytest.raises(ValueError, match=r"logits \(2, 5\) must be \(3, 'vocab_size'\) for these targets"):
        cross_entropy(torch.zeros(2, 5), torch.zeros(3, dtype=torch.int64))


def test_schedule_by_hand() -> None:
    rate = warmup_cosine(2.0, 4, 12, floor=0.25)
    assert [rate(i) for i in range(4)] == [0.5, 1.0, 1.5, 2.0]
    assert rate(8) == pytest.approx(2 * (0.25 + 0.75 / 2))
    assert rate(12) == rate(100) == pytest.approx(0.5)
    assert all(rate(i) >= rate(i + 1) for i in range(4, 12))
    with pytest.raises(ValueError, match="warmup=13 lie between 0 and steps=12"):
        warmup_cosine(1.0, 13, 12)
    with pytest.raises(ValueError, match="peak=-1 must be positive"):
        warmup_cosine(-1, 0, 12)


def test_rate_beyond_the_steps_is_the_floor() -> None:
    for warmup in (0, 3, 10):
        rate = warmup_cosine(2.0, warmup, 10)
        assert [rate(step) for step in (10, 11, 1_000)] == [pytest.approx(0.2)] * 3


def test_windows_come_from_everywhere() -> None:
    generator = torch.Generator().manual_seed(0)
    inputs, targets = token_windows(torch.arange(10), batch=500, length=4)(generator)
    assert torch.equal(inputs + 1, targets)
    assert sorted(set(inputs[:, 0].tolist())) == list(range(6))  # the last window ends with the last token
    with pytest.raises(ValueError, match="windows of length=10 need more than 10 tokens, got 10"):
        token_windows(torch.arange(10), batch=1, length=10)


def test_learns_and_repeats_itself() -> None:
    one, other = trainer(), trainer()
    losses = list(one.run(20))
    assert losses == list(other.run(20))
    assert torch.equal(weights(one), weights(other))
    assert losses[0] > math.log(11) - 0.1  # nothing is known before the first step
    assert losses[-1] < 0.8 * losses[0]
    assert losses != list(trainer(seed=1).run(20))


def test_rate_and_decay_and_clipping() -> None:
    ours = trainer()
    list(ours.run(2))
    assert ours.optimizer.param_groups[0]["lr"] == pytest.approx(0.03 * 2 / 3)
    assert all(p.ndim >= 2 for p in ours.optimizer.param_groups[0]["params"])
    assert all(p.ndim < 2 for p in ours.optimizer.param_groups[1]["params"])
    assert ours.optimizer.param_groups[1]["weight_decay"] == 0
    small = trainer(clip=1e-3)
    list(small.run(1))
    length = torch.cat([p.grad.flatten() for p in small.model.parameters()]).norm().item()
    assert length == pytest.approx(1e-3, rel=1e-3)


def test_progress_sees_every_step() -> None:
    seen = []
    list(trainer().run(3, progress=lambda steps: (seen.append(step) or step for step in steps)))
    assert seen == [0, 1, 2]


# --- checkpoints ---


def test_goes_on_as_if_never_stopped(tmp_path: Path) -> None:
    whole, first = trainer(), trainer()
    expected = list(whole.run(12))
    losses = list(first.run(5))
    first.save(tmp_path / "checkpoint.safetensors")
    second = trainer(seed=9)
    second.load(tmp_path / "checkpoint.safetensors")
    assert second.step == 5
    assert losses + list(second.run(7)) == expected
    assert torch.equal(weights(second), weights(whole))


def test_checkpoint_of_another_model_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint.safetensors"
    trainer().save(path)
    other = trainer(config=DecoderConfig(vocab_size=11, context=8, d_model=8, n_heads=2, n_layers=1, d_ff=17))
    before = weights(other)
    with pytest.raises(
        ValueError, match=r"another model: blocks.0.feed_forward.b_in is \(16,\) there and \(17,\) here"
    ):
        other.load(path)
    assert torch.equal(weights(other), before)
    assert other.step == 0


def test_weights_alone(tmp_path: Path) -> None:
    trained, other = trainer(), trainer(seed=5)
    save_tensors(tmp_path / "weights.safetensors", trained.model.state_dict(), {"made": "here"})
    assert load_tensors(tmp_path / "weights.safetensors")[1] == {"made": "here"}
    load_weights(tmp_path / "weights.safetensors", other.model)
    assert torch.equal(weights(trained), weights(other))


def test_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "checkpoint.safetensors"
    ours = trainer()
    ours.save(path)
    before = path.read_bytes()
    list(ours.run(1))
    monkeypatch.setattr("os.replace", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        ours.save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


WRITER = """
import sys
sys.path.insert(0, {tests!r})
from test_training import trainer
ours = trainer()
while True:
    list(ours.run(1))
    ours.save({path!r})
"""


@pytest.mark.slow
def test_killed_at_any_moment(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint.safetensors"
    code = WRITER.format(tests=str(Path(__file__).parent), path=str(path))
    for number in range(3):
        writer = subprocess.Popen([sys.executable, "-c", code])
        try:
            deadline = time.monotonic() + 60
            before = path.stat().st_mtime_ns if path.exists() else 0
            while (path.stat().st_mtime_ns if path.exists() else 0) == before and time.monotonic() < deadline:
                time.sleep(0.01)
            time.sleep(0.005 * number)
        finally:
            writer.send_signal(signal.SIGKILL)
            writer.wait()
        loaded = trainer(seed=3)
        loaded.load(path)
        assert loaded.step >= 1
