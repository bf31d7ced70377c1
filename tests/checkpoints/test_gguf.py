"""GGUF files: theirs and ours compute the same, and every number is the one in the file."""

import numpy as np
import pytest
import torch

from clearformer.checkpoints import load_model
from tests.checkpoints import gguf_files

IDS = torch.tensor([[3, 1, 4, 1, 5, 9, 2, 6], [2, 7, 1, 8, 2, 8, 1, 8]])
LLAMA3 = {
    **{"rope_type": "llama3", "rope_theta": 500000.0, "factor": 8.0, "low_freq_factor": 1.0},
    **{"high_freq_factor": 4.0, "original_max_position_embeddings": 8192},
}
KINDS = ("F16", "BF16", "Q8_0", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K")


def factors(model):
    """The factors of rotary frequencies, as a file of Llama 3 carries them."""
    plain = 500000.0 ** (-torch.arange(0, 32, 2, dtype=torch.float64) / 32)
    return (plain / model.model.rotary_emb.inv_freq.double()).float().numpy()


@pytest.mark.parametrize(
    ("architecture", "settings"),
    [
        ("llama", {}),
        ("llama", {"tie_word_embeddings": True, "rms_norm_eps": 1e-5}),
        ("llama", {"num_key_value_heads": 8}),
        ("gpt2", {"layer_norm_epsilon": 1e-3}),
    ],
)
def test_theirs_and_ours_compute_the_same(tmp_path, architecture, settings):
    model = gguf_files.small_model(architecture, **settings)
    gguf_files.write(tmp_path / "a.gguf", model)
    with torch.no_grad():
        torch.testing.assert_close(load_model(tmp_path / "a.gguf")(IDS), model(IDS)[0], rtol=1e-5, atol=1e-5)


def test_llama_3_slows_its_rotation_by_factors_in_a_tensor(tmp_path):
    model = gguf_files.small_model("llama", rope_parameters=LLAMA3, max_position_embeddings=3000)
    gguf_files.write(tmp_path / "a.gguf", model, more={"rope_freqs.weight": factors(model)})
    loaded, far = load_model(tmp_path / "a.gguf"), torch.arange(2500)[None] % 37
    assert loaded.config.scaling.factor == 8
    with torch.no_grad():
        torch.testing.assert_close(loaded(far), model(far)[0], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_weights_are_those_of_the_file_to_the_last_bit(tmp_path, kind):
    model = gguf_files.small_model("llama")
    written = gguf_files.write(tmp_path / "a.gguf", model, kind=kind)
    weights = load_model(tmp_path / "a.gguf").state_dict()
    dtype = {"F16": torch.float16, "BF16": torch.bfloat16}.get(kind, torch.float32)
    assert weights["blocks.1.feed_forward.w_down"].dtype == dtype

    def same(ours, theirs):
        assert torch.equal(ours.float(), torch.from_numpy(theirs))

    same(weights["embedding.table"], written["token_embd.weight"])
    same(weights["blocks.1.feed_forward.w_down"].T, written["blk.1.ffn_down.weight"])
    same(weights["blocks.1.norm_attention.gamma"], written["blk.1.attn_norm.weight"])
    q = written["blk.1.attn_q.weight"].reshape(8, 16, 2, 256).swapaxes(1, 2).reshape(256, 256)
    same(weights["blocks.1.attention.w_qkv"][:, :256].T, q)


def test_a_file_may_come_without_what_can_be_left_out(tmp_path):
    model = gguf_files.small_model("llama", num_key_value_heads=8)
    left_out = ("attention.head_count_kv", "rope.freq_base", "rope.dimension_count")
    gguf_files.write(tmp_path / "a.gguf", model, facts={f"llama.{key}": None for key in left_out})
    assert load_model(tmp_path / "a.gguf").config.n_kv_heads == 8


@pytest.mark.parametrize("kind", ["F16", "Q8_0", "Q4_0"])
def test_a_second_copy_may_be_rounded_otherwise_but_not_be_another(tmp_path, kind):
    model = gguf_files.small_model("gpt2")
    table = model.transformer.wte.weight.detach().numpy()
    written = gguf_files.write(tmp_path / "a.gguf", model, kind=kind, more={"output.weight": table})
    loaded = load_model(tmp_path / "a.gguf").state_dict()["embedding.table"]
    assert torch.equal(loaded.float(), torch.from_numpy(written["token_embd.weight"]))
    gguf_files.write(tmp_path / "b.gguf", model, kind=kind, more={"output.weight": np.roll(table, 1, axis=0)})
    with pytest.raises(ValueError, match=r"lm_head.weight is not equal to transformer.wte.weight"):
        load_model(tmp_path / "b.gguf")
