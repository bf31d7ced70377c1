"""Precision: bfloat16 only where the hardware computes in it, and weights that stay in float32."""

import pytest
import torch

from clearformer.training import bfloat16_if_native
from tests.training.toys import trainer, weights


def product() -> torch.dtype:
    with bfloat16_if_native():
        return (torch.ones(2, 3) @ torch.ones(3, 5)).dtype


@pytest.mark.parametrize("name", ["avx512_bf16", "amx_bf16", "bf16"])
def test_bfloat16_where_the_processor_has_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {"avx512_f": True, name: True})
    assert product() == torch.bfloat16


def test_float32_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {"avx512_f": True, "avx512_bf16": False})
    assert product() == torch.float32
    with bfloat16_if_native("meta"):
        assert (torch.ones(2, 3, device="meta") @ torch.ones(3, 5, device="meta")).dtype == torch.float32


def test_training_in_bfloat16_follows_float32() -> None:
    whole, half = trainer(), trainer(autocast=torch.autocast("cpu", torch.bfloat16))
    expected, got = whole.run(20), half.run(20)
    assert got != expected
    assert got == pytest.approx(expected, rel=0.05)
    assert weights(half).dtype == torch.float32
