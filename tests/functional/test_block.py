"""Blocks as functions of functions: equal to PyTorch's layers."""

from functools import partial

import numpy as np
import pytest
import torch

from clearformer import functional as F

T, S, D_MODEL, N_HEADS, D_FF = 3, 7, 10, 5, 11


@pytest.mark.parametrize(("compose", "norm_first"), [(F.block, True), (F.post_norm_block, False)])
def test_three_layers_equal_torch_s_decoder_layer(compose, norm_first: bool) -> None:
    """Self-attention under a causal mask, attention to a source, and a feed-forward layer, with all biases."""
    torch.manual_seed(0)
    peer = torch.nn.TransformerDecoderLayer(
        D_MODEL, N_HEADS, D_FF, 0.0, batch_first=True, norm_first=norm_first, dtype=torch.float64
    )
    for parameter in peer.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    w = {name: tensor.detach().numpy().T for name, tensor in peer.state_dict().items()}
    rng = np.random.default_rng(0)
    x, source = rng.normal(size=(2, T, D_MODEL)), rng.normal(size=(2, S, D_MODEL))

    def attend(name: str, asked: np.ndarray | None, mask: np.ndarray | None, x: np.ndarray) -> np.ndarray:
        w_q, w_k, w_v = np.split(w[f"{name}.in_proj_weight"], 3, axis=1)
        b_q, b_k, b_v = np.split(w[f"{name}.in_proj_bias"], 3)
        biases = {"b_q": b_q, "b_k": b_k, "b_v": b_v, "b_o": w[f"{name}.out_proj.bias"]}
        x_kv, w_o = x if asked is None else asked, w[f"{name}.out_proj.weight"]
        return F.multi_head_attention(x, x_kv, w_q, w_k, w_v, w_o, n_heads=N_HEADS, mask=mask, **biases)[0]

    def transform(x: np.ndarray) -> np.ndarray:
        weights = (w[name] for name in ("linear1.weight", "linear1.bias", "linear2.weight", "linear2.bias"))
        return F.feed_forward(x, *weights, activation=F.relu)

    layers = (partial(attend, "self_attn", None, F.causal_mask(T)), partial(attend, "multihead_attn", source, None))
    norms = [partial(F.layer_norm, gamma=w[f"norm{i}.weight"], beta=w[f"norm{i}.bias"]) for i in (1, 2, 3)]
    got = compose(x, *zip((*layers, transform), norms, strict=True))
    causal = torch.from_numpy(~F.causal_mask(T))
    expected = peer(torch.from_numpy(x), torch.from_numpy(source), tgt_mask=causal).detach().numpy()
    np.testing.assert_allclose(got, expected, rtol=1e-10, atol=1e-12)
