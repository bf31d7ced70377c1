"""The decoder in NumPy: equal to the module on the same weights, however they know positions, and refusals."""

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from clearformer import functional as F
from clearformer.models import GPT2Config
from clearformer.nn import RotaryEncoding
from linebyline.pretrained import rotary_decoder
from tests.few import few
from tests.models.small import IDS, gpt, turned, turning, with_numbers

WITH_ADDED = (gpt, {"activation": F.gelu_tanh})
WITH_TURNED = (turned, {"activation": F.gelu_tanh, "rotary": F.rotary_encoding})


def arrays(decoder: torch.nn.Module) -> dict[str, np.ndarray]:
    return {name: tensor.numpy() for name, tensor in decoder.state_dict().items()}


@pytest.mark.parametrize("arrange", [dict, F.lay_out])
@pytest.mark.parametrize("parts", [[7], [3, 4], [1] * 7])
@pytest.mark.parametrize(("make", "options"), [WITH_ADDED, WITH_TURNED], ids=["added", "turned"])
def test_numpy_decoder_equals_the_module(make: Callable, options: dict, parts: list[int], arrange: Callable) -> None:
    ours = make()
    weights = arrange(arrays(ours))
    caches, end = None, 0
    for part in parts:
        end += part
        ids = IDS[0, end - part : end].numpy()
        before = None if caches is None else [tuple(a.copy() for a in pair) for pair in caches]
        logits, longer = F.decoder(weights, ids, caches, n_heads=3, **options)
        np.testing.assert_allclose(logits, ours(IDS[:1, :end])[0, -1].detach(), rtol=1e-10, atol=1e-12)
        if before is not None:
            for old, kept in zip(before, caches, strict=True):
                assert all(np.array_equal(a, b) for a, b in zip(old, kept, strict=True))
        caches = longer


@few
@given(
    sizes=st.tuples(*(st.integers(1, n) for n in (11, 3, 3, 7))),
    split=st.integers(0, 9),
    single=st.booleans(),
    base=st.sampled_from([50.0, 10000.0]),
    layout=st.sampled_from(["half", "interleaved"]),
    seed=st.integers(0, 2**16),
)
def test_turned_positions_equal_the_module_at_all_sizes_and_with_a_cache(
    sizes: tuple[int, ...], split: int, single: bool, base: float, layout: str, seed: int
) -> None:
    vocab_size, n_heads, pairs, d_ff = sizes
    d_k, rng = 2 * pairs, np.random.default_rng(seed)
    dtype = torch.float32 if single else torch.float64
    config = GPT2Config(vocab_size, 10, n_heads * d_k, n_heads, 2, d_ff, activation="gelu")
    rotary = RotaryEncoding(10, d_k, base=base, layout=layout, dtype=dtype)
    ours = turning(with_numbers(rotary_decoder(config)).to(dtype), rotary)
    ids = rng.integers(vocab_size, size=10)
    run = partial(F.decoder, arrays(ours), n_heads=n_heads, rotary=partial(F.rotary_encoding, base=base, layout=layout))
    with torch.no_grad():
        expected = ours(torch.from_numpy(ids))[-1].numpy()
    caches = run(ids[:split])[1] if split else None
    logits, _ = run(ids[split:], caches)
    near = {"rtol": 1e-5, "atol": 1e-5 * np.abs(expected).max()} if single else {"rtol": 1e-10, "atol": 1e-12}
    assert logits.dtype == expected.dtype
    np.testing.assert_allclose(logits, expected, **near)


def test_a_model_may_add_positions_and_turn_by_them() -> None:
    ours = turning(gpt(), RotaryEncoding(16, 4, dtype=torch.float64))
    logits, _ = F.decoder(arrays(ours), IDS[0].numpy(), n_heads=3, **WITH_TURNED[1])
    np.testing.assert_allclose(logits, ours(IDS[0])[-1].detach(), rtol=1e-10, atol=1e-12)


def test_turned_positions_do_not_end_unless_the_rotary_says_so() -> None:
    weights, caches = arrays(turned()), None
    for _ in range(3):
        logits, caches = F.decoder(weights, np.zeros(16, int), caches, n_heads=3, rotary=F.rotary_encoding)
    assert caches[0][0].shape == (3, 48, 4)
    assert np.isfinite(logits).all()

    def within_16(x: np.ndarray, positions: np.ndarray) -> np.ndarray:
        if positions[-1] >= 16:
            raise ValueError(f"position {positions[-1]}, but the model was trained on 16")
        return F.rotary_encoding(x, positions)

    _, caches = F.decoder(weights, np.zeros(16, int), n_heads=3, rotary=within_16)
    with pytest.raises(ValueError, match="position 16, but the model was trained on 16"):
        F.decoder(weights, np.zeros(1, int), caches, n_heads=3, rotary=within_16)


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ([], r"ids must be \(T,\) with a token at least, got shape \(0,\)"),
        ([0, 23], "ids 0 to 23 must lie between 0 and vocab_size - 1 = 22"),
        ([0] * 17, "17 positions, but the model has context=16"),
    ],
)
def test_numpy_decoder_refuses(ids: list[int], message: str) -> None:
    weights = arrays(gpt())
    with pytest.raises(ValueError, match=message):
        F.decoder(weights, np.array(ids, dtype=np.int64), n_heads=3)


def test_weights_without_positions_need_a_rotary() -> None:
    with pytest.raises(
        ValueError, match=r"no embedding\.position\.table: positions need it, or rotary=rotary_encoding"
    ):
        F.decoder(arrays(turned()), np.array([0]), n_heads=3)
