"""What the attention module refuses, in every path, with the numbers."""

import re

import pytest
import torch

from clearformer import nn
from tests.nn.parts import PATHS, attention, draw


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"d_model": 512, "n_heads": 7}, "d_model=512 must be a multiple of n_heads=7"),
        ({"d_model": 12, "n_heads": 6, "n_kv_heads": 4}, "n_heads=6 must be a multiple of n_kv_heads=4"),
        ({"d_model": 12, "n_heads": 2, "n_kv_heads": 4}, "n_heads=2 must be a multiple of n_kv_heads=4"),
        ({"d_model": 12, "n_heads": 0}, "d_model=12, n_heads=0 and n_kv_heads=0 must be at least 1"),
        ({"d_model": 0, "n_heads": 2}, "d_model=0, n_heads=2 and n_kv_heads=2 must be at least 1"),
        ({"d_model": 12, "n_heads": 2, "d_k": 0}, "d_k=0 must be at least 1"),
        ({"d_model": 5, "n_heads": 6, "n_kv_heads": 4, "d_k": 3}, "n_heads=6 must be a multiple of n_kv_heads=4"),
    ],
    ids=str,
)
def test_refuses_sizes_that_do_not_fit(sizes: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        nn.MultiHeadAttention(**sizes, generator=torch.Generator())


@pytest.mark.usefixtures("unchecked")
def test_refuses_input_that_does_not_fit() -> None:
    ours, x = attention(), draw(2, 5, 6)
    with pytest.raises(ValueError, match=r"^x must be \(\.\.\., d_model=6\), got shape \(2, 5, 7\)$"):
        ours(draw(2, 5, 7))
    with pytest.raises(ValueError, match=r"^x must be \(\.\.\., T, d_model=6\), got shape \(6,\)$"):
        ours.extend(draw(6))
    with pytest.raises(ValueError, match=r"^x_q must be \(\.\.\., d_model=6\), got shape \(2, 5, 7\)$"):
        ours(draw(2, 5, 7), x)
    with pytest.raises(ValueError, match=r"^x_kv must be .* got shape \(6,\)$"):
        ours(x, draw(6))


@pytest.mark.usefixtures("unchecked")
def test_refuses_another_batch() -> None:
    """Not even a batch of one is spread over the others: whoever wants that says so with ``expand``."""
    ours, x = attention(), draw(2, 5, 6)
    for axes in ((3,), (1,), (), (2, 2)):
        source = draw(*axes, 7, 6)
        found = tuple(ours.keys_values(source).k.shape)
        message = re.escape(f"leading axes must agree: queries (2, 3, 5, 2), keys {found}")
        for path in (ours, ours.with_weights):
            with pytest.raises(ValueError, match=f"^{message}$"):
                path(x, source)
        with pytest.raises(ValueError, match=f"^{message}$"):
            ours.attend(x, ours.keys_values(source))
    _, cache = ours.extend(x)
    with pytest.raises(ValueError, match=r"keys \(2, 3, 5, 2\) of .* beside values \(1, 6, 5, 2\) of"):
        ours.extend(x[:1], cache)


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("path", PATHS.values(), ids=PATHS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("beside", [False, True])
def test_refuses_masks_that_are_not_masks(path, dtype: torch.dtype, beside: bool) -> None:
    ours, x = attention(dtype=dtype), draw(2, 5, 6, dtype=dtype)
    given = {"position_bias": draw(3, 5, 5, dtype=dtype)} if beside else {}
    for kind in (torch.float32, torch.int64):
        message = re.escape(f"got dtype {kind}, mask (5, 5) for scores (2, 3, 5, 5)")
        with pytest.raises(TypeError, match=f"^mask must be boolean.*{message}$"):
            path(ours, x, mask=torch.zeros(5, 5, dtype=kind), **given)
    for shape in ((5, 7), (7,), (3, 1, 5, 5), (1, 2, 3, 5, 5)):
        message = re.escape(f"mask {shape} does not broadcast to scores (2, 3, 5, 5)")
        with pytest.raises(ValueError, match=f"^{message}$"):
            path(ours, x, mask=torch.ones(shape, dtype=torch.bool), **given)


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("path", PATHS.values(), ids=PATHS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("beside", [False, True])
def test_refuses_biases_that_do_not_fit(path, dtype: torch.dtype, beside: bool) -> None:
    ours, x = attention(dtype=dtype), draw(2, 5, 6, dtype=dtype)
    given = {"mask": torch.ones(5, 5, dtype=torch.bool)} if beside else {}
    for kind in (torch.bool, torch.int64):
        message = re.escape(f"got dtype {kind}, position_bias (5, 5) for scores (2, 3, 5, 5)")
        with pytest.raises(TypeError, match=f"^position_bias must hold floats.*{message}$"):
            path(ours, x, position_bias=torch.zeros(5, 5, dtype=kind), **given)
    for shape in ((5, 7), (7,), (2, 5, 5), (3, 3, 5, 5), (1, 2, 3, 5, 5)):
        message = re.escape(f"position_bias {shape} does not broadcast to scores (2, 3, 5, 5)")
        with pytest.raises(ValueError, match=f"^{message}$"):
            path(ours, x, position_bias=draw(*shape), **given)
