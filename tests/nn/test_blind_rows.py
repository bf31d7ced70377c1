"""Queries that may attend to nothing: they give 0 and take no part in the gradients, in every path and number type."""

import pytest
import torch

from tests.nn.parts import PATHS, RTOL, attention, close, draw, gradients

DTYPES = [torch.bfloat16, torch.float16, *RTOL]
NOTHING = torch.zeros(5, 5, dtype=torch.bool)
FIRST_TWO = torch.ones(5, 5, dtype=torch.bool).tril().index_fill(0, torch.tensor([0, 1]), False)
BIASES = {
    "none": lambda dtype: None,
    "fixed": lambda dtype: draw(3, 5, 5, dtype=dtype),
    "learned": lambda dtype: draw(3, 5, 5, dtype=dtype).requires_grad_(),
}


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("path", PATHS.values(), ids=PATHS)
@pytest.mark.parametrize("bias", BIASES.values(), ids=BIASES)
@pytest.mark.parametrize("n_kv_heads", [1, 3])
def test_all_blind(n_kv_heads: int, bias, path, dtype: torch.dtype) -> None:
    ours, x, added = attention(3, n_kv_heads, dtype=dtype), draw(2, 5, 6, dtype=dtype).requires_grad_(), bias(dtype)
    output = path(ours, x, mask=NOTHING, position_bias=added)
    assert (output == 0).all()
    of = [x, *ours.parameters(), *([added] if added is not None and added.requires_grad else [])]
    assert all((gradient == 0).all() for gradient in gradients(of, output))
    with torch.no_grad():
        assert (path(ours, x, mask=NOTHING, position_bias=added) == 0).all()


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("path", PATHS.values(), ids=PATHS)
@pytest.mark.parametrize("bias", BIASES.values(), ids=BIASES)
def test_some_blind(bias, path, dtype: torch.dtype) -> None:
    """The others see what they would see by themselves, and gradients come from them alone."""
    ours, x, added = attention(dtype=dtype), draw(2, 5, 6, dtype=dtype).requires_grad_(), bias(dtype)
    output = path(ours, x, mask=FIRST_TWO, position_bias=added)
    assert (output[:, :2] == 0).all()
    rest = None if added is None else added[:, 2:]
    alone = ours(x[:, 2:], x, mask=FIRST_TWO[2:], position_bias=rest)
    of = [x, *ours.parameters(), *([added] if added is not None and added.requires_grad else [])]
    padded = torch.cat([torch.zeros_like(output[:, :2]), alone], dim=1)
    for got, expected in zip((output, *gradients(of, output)), (padded, *gradients(of, padded)), strict=True):
        assert got.isfinite().all()
        if dtype in RTOL:
            close(got, expected)
        else:
            assert (got - expected).float().norm() <= 0.02 * expected.float().norm()


def test_who_watches_sees_weights_of_zero() -> None:
    _, weights = attention().with_weights(draw(2, 5, 6), mask=FIRST_TWO, position_bias=draw(3, 5, 5))
    close(weights.sum(dim=-1), FIRST_TWO.any(dim=-1).double().expand(2, 3, 5))
    assert (weights[..., :2, :] == 0).all()
