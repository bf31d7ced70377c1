"""Position biases: by hand, against the models that have them, as laws of distances."""

import numpy as np
import pytest
import torch

from clearformer import functional as F

T5 = {"n_buckets": 32, "max_distance": 128}


def test_alibi_by_hand() -> None:
    bias = F.alibi_bias(8, 3)
    np.testing.assert_array_equal(bias[0], [[0, -0.5, -1], [-0.5, 0, -0.5], [-1, -0.5, 0]])
    np.testing.assert_array_equal(bias[:, 1, 0], [-(2.0**-h) for h in range(1, 9)])


def test_buckets_by_hand() -> None:
    """Of 8 buckets a direction has 4: one each for distances 0 and 1, then 2 to 3 and 4 onwards, for 2 * 2 = 4."""
    buckets = F.relative_buckets(6, n_buckets=8, max_distance=8, bidirectional=True)
    np.testing.assert_array_equal(buckets[0], [0, 5, 6, 6, 7, 7])
    np.testing.assert_array_equal(buckets[5], [3, 3, 2, 2, 1, 0])
    np.testing.assert_array_equal(
        F.relative_buckets(3, n_buckets=4, max_distance=8, bidirectional=False), [[0, 0, 0], [1, 0, 0], [2, 1, 0]]
    )


@pytest.mark.parametrize("n_heads", [1, 2, 3, 6, 8, 12, 35])
def test_alibi_equal_to_bloom(n_heads: int) -> None:
    """Bloom adds m s where we add -m (t - s): a constant in a row, which softmax ignores."""
    from transformers.models.bloom.modeling_bloom import build_alibi_tensor

    peer = build_alibi_tensor(torch.ones(1, 7, dtype=torch.long), n_heads, torch.float64).numpy()  # (n_heads, 1, S)
    apart = np.where(F.causal_mask(7), F.alibi_bias(n_heads, 7) - peer, np.nan)
    assert np.nanmax(np.nanmax(apart, axis=-1) - np.nanmin(apart, axis=-1)) <= 1e-6  # its slopes are powers in float32


@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize("n_buckets", [4, 10, 32])
@pytest.mark.parametrize("max_distance", [40, 128, 1000])
def test_buckets_equal_to_t5(n_buckets: int, max_distance: int, bidirectional: bool) -> None:
    from transformers.models.t5.modeling_t5 import T5Attention

    T = 2 * max_distance
    steps = torch.arange(T) - torch.tensor([[0], [T // 2], [T - 1]])
    peer = T5Attention._relative_position_bucket(steps, bidirectional, n_buckets, max_distance)
    ours = F.relative_buckets(T, n_buckets=n_buckets, max_distance=max_distance, bidirectional=bidirectional)
    np.testing.assert_array_equal(ours[[0, T // 2, T - 1]], peer.numpy())


@pytest.mark.parametrize("bidirectional", [True, False])
def test_bias_equal_to_t5(bidirectional: bool) -> None:
    from transformers import T5Config
    from transformers.models.t5.modeling_t5 import T5Attention

    config = T5Config(d_model=6, d_kv=2, num_heads=3, is_decoder=not bidirectional)
    peer = T5Attention(config, has_relative_attention_bias=True, layer_idx=0)
    with torch.no_grad():
        table = peer.relative_attention_bias.weight.normal_().numpy()
        expected = peer.compute_bias(200, 200)[0].numpy()
    np.testing.assert_array_equal(
        F.position_bias(table, F.relative_buckets(200, **T5, bidirectional=bidirectional)), expected
    )
