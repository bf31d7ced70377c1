"""The decoder: equal to GPT-2 and Llama on the same weights, step by step as all at once, and refusals."""

import pytest
import torch
from decoders import IDS, gpt, llama
from transformers import GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM

from clearformer.models import Decoder, DecoderConfig


def as_gpt2(ours: Decoder) -> GPT2LMHeadModel:
    config = GPT2Config(
        vocab_size=23, n_positions=16, n_embd=12, n_layer=2, n_head=3, n_inner=20, layer_norm_epsilon=1e-5
    )
    theirs = GPT2LMHeadModel(config).double().eval()
    names = {
        "embedding": "wte.weight",
        "position.table": "wpe.weight",
        "norm.gamma": "ln_f.weight",
        "norm.beta": "ln_f.bias",
    }
    inside = {
        "norm_attention.gamma": "ln_1.weight",
        "norm_attention.beta": "ln_1.bias",
        "attention.w_qkv": "attn.c_attn.weight",
        "attention.b_qkv": "attn.c_attn.bias",
        "attention.w_o": "attn.c_proj.weight",
        "attention.b_o": "attn.c_proj.bias",
        "norm_feed_forward.gamma": "ln_2.weight",
        "norm_feed_forward.beta": "ln_2.bias",
        "feed_forward.w_in": "mlp.c_fc.weight",
        "feed_forward.b_in": "mlp.c_fc.bias",
        "feed_forward.w_out": "mlp.c_proj.weight",
        "feed_forward.b_out": "mlp.c_proj.bias",
    }
    names |= {f"blocks.{n}.{a}": f"h.{n}.{b}" for n in range(2) for a, b in inside.items()}
    theirs.transformer.load_state_dict({names[name]: tensor for name, tensor in ours.state_dict().items()})
    return theirs


def as_llama(ours: Decoder) -> LlamaForCausalLM:
    config = LlamaConfig(
        vocab_size=23,
        hidden_size=12,
        intermediate_size=20,
        num_hidden_layers=2,
        num_attention_heads=3,
        num_key_value_heads=1,
        max_position_embeddings=16,
        rms_norm_eps=1e-5,
        tie_word_embeddings=True,
    )
    theirs = LlamaForCausalLM(config).double().eval()
    state = {"embed_tokens.weight": ours.embedding, "norm.weight": ours.norm.gamma}
    for n, block in enumerate(ours.blocks):
        a, f = block.attention, block.feed_forward
        parts = {
            "input_layernorm": block.norm_attention.gamma,
            "post_attention_layernorm": block.norm_feed_forward.gamma,
            "self_attn.q_proj": a.w_q.T,
            "self_attn.k_proj": a.w_k.T,
            "self_attn.v_proj": a.w_v.T,
            "self_attn.o_proj": a.w_o.T,
            "mlp.gate_proj": f.w_gate.T,
            "mlp.up_proj": f.w_up.T,
            "mlp.down_proj": f.w_down.T,
        }
        state |= {f"layers.{n}.{name}.weight": w for name, w in parts.items()}
    theirs.model.load_state_dict({name: w.detach() for name, w in state.items()})
    return theirs


PAIRS = {"GPT-2": (gpt, as_gpt2), "Llama": (llama, as_llama)}


@pytest.mark.parametrize("name", PAIRS)
def test_logits_and_gradient_equal_transformers(name: str) -> None:
    make, peer = PAIRS[name]
    ours = make()
    theirs = peer(ours)
    got, expected = ours(IDS), theirs(IDS).logits
    # Their rotary tables are float32, whatever the weights are.
    bound = 1e-10 if name == "GPT-2" else 1e-5
    torch.testing.assert_close(got, expected, rtol=bound, atol=bound)
    single = ours.float()(IDS)
    torch.testing.assert_close(single, theirs.float()(IDS).logits, rtol=1e-5, atol=1e-5)
    single.logsumexp(-1).sum().backward()
    theirs(IDS).logits.logsumexp(-1).sum().backward()
    embedding = theirs.get_input_embeddings().weight.grad
    torch.testing.assert_close(ours.embedding.grad, embedding, rtol=1e-4, atol=1e-4 * embedding.abs().max().item())


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("parts", [[7], [3, 4], [1] * 7, [2, 1, 3, 1]])
def test_step_by_step_equals_all_at_once(name: str, parts: list[int]) -> None:
    ours = PAIRS[name][0]()
    caches, steps = None, []
    for ids in IDS.split(parts, dim=-1):
        states, caches = ours.states(ids, caches)
        steps.append(ours.read_out(states))
    torch.testing.assert_close(torch.cat(steps, dim=1), ours(IDS), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("name", PAIRS)
def test_future_cannot_be_seen(name: str) -> None:
    ours, changed = PAIRS[name][0](), IDS.clone()
    changed[:, 4:] = 0
    before, after = ours(IDS), ours(changed)
    torch.testing.assert_close(after[:, :4], before[:, :4], rtol=0, atol=1e-13)
    assert (after[:, 4] - before[:, 4]).abs().max() > 1e-3


@pytest.mark.parametrize("name", PAIRS)
def test_attention_maps(name: str) -> None:
    ours = PAIRS[name][0]()
    maps = ours.attention_maps(IDS)
    assert maps.shape == (2, 2, 3, 7, 7)
    torch.testing.assert_close(maps.sum(-1), torch.ones(2, 2, 3, 7, dtype=torch.float64))
    assert not maps.triu(1).any()
    x = ours._embed(IDS, 0)
    expected = ours.blocks[0].attention.with_weights(
        ours.blocks[0].norm_attention(x), mask=torch.ones(7, 7).tril().bool()
    )[1]
    torch.testing.assert_close(maps[0], expected)


# --- refusals ---


@pytest.mark.parametrize(
    ("ids", "error", "message"),
    [
        (torch.zeros(2, 0, dtype=torch.int64), ValueError, r"ids must hold a token at least, got shape \(2, 0\)"),
        (torch.zeros(1, 17, dtype=torch.int64), ValueError, "17 positions, but the model has context=16"),
        (torch.tensor([[3, 23]]), ValueError, "ids 3 to 23 must lie between 0 and vocab_size - 1 = 22"),
        (torch.tensor([[-1, 3]]), ValueError, "ids -1 to 3 must lie between 0 and vocab_size - 1 = 22"),
        (torch.zeros(1, 2), TypeError, "ids must be int64 or int32, got dtype torch.float32"),
    ],
)
def test_decoder_refuses(ids: torch.Tensor, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        gpt()(ids)


def test_config_refuses() -> None:
    with pytest.raises(ValueError, match="n_layers=0 must be at least 1"):
        DecoderConfig(vocab_size=2, context=2, d_model=2, n_heads=1, n_layers=0, d_ff=2)
