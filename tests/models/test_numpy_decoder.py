"""The decoder in NumPy: equal to the module on the same weights, and refusals."""

from collections.abc import Callable

import numpy as np
import pytest
import torch
from small import IDS, gpt

from clearformer import functional as F


def arrays(decoder: torch.nn.Module) -> dict[str, np.ndarray]:
    return {name: tensor.numpy() for name, tensor in decoder.state_dict().items()}


@pytest.mark.parametrize("arrange", [dict, F.lay_out])
@pytest.mark.parametrize("parts", [[7], [3, 4], [1] * 7])
def test_numpy_decoder_equals_the_module(parts: list[int], arrange: Callable) -> None:
    ours = gpt()
    weights = arrange(arrays(ours))
    caches, end = None, 0
    for part in parts:
        end += part
        ids = IDS[0, end - part : end].numpy()
        before = None if caches is None else [tuple(a.copy() for a in pair) for pair in caches]
        logits, longer = F.decoder(weights, ids, caches, n_heads=3, activation=F.gelu_tanh)
        np.testing.assert_allclose(logits, ours(IDS[:1, :end])[0, -1].detach(), rtol=1e-10, atol=1e-12)
        if before is not None:
            for old, kept in zip(before, caches, strict=True):
                assert all(np.array_equal(a, b) for a, b in zip(old, kept, strict=True))
        caches = longer


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
