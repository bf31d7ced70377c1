"""``clearformer info``: every tensor has its equation, every equation its chapter, and no number is read."""

from pathlib import Path

import pytest

from clearformer.checkpoints import Folder, load_model, open_checkpoint
from clearformer.cli.equations import TABLE, equation
from clearformer.cli.info import lines
from clearformer.cli.main import main
from tests.checkpoints import folders, gguf_files
from tests.checkpoints.test_gguf_tokenizer import spm_facts

BOOK = Path(__file__).parents[2] / "book"


@pytest.mark.parametrize("name", folders.MODELS)
def test_every_tensor_is_listed_with_an_equation(tmp_path, name, monkeypatch):
    folders.written(tmp_path, name)
    monkeypatch.setattr(Folder, "read", None)  # headers are enough
    described = "\n".join(lines(tmp_path))
    rows = described.split("\n\n")[1].splitlines()[1:]
    numbered = {row.split()[0].replace("0-1", n) for row in rows for n in "01"}
    assert set(open_checkpoint(tmp_path).entries) == numbered
    without = [row for row in rows if row.split()[-1] not in {chapter for _, _, chapter in TABLE}]
    assert all(row.endswith(("a second copy", "not used")) for row in without)
    assert len(without) <= 5


def test_chapters_exist():
    assert {chapter for _, _, chapter in TABLE} <= {page.stem for page in BOOK.glob("*.md")}


@pytest.mark.parametrize(
    ("name", "names", "part", "formula"),
    [
        ("blocks.0.attention.w_qkv", [], None, "[Q K V] = X [W_Q W_K W_V]"),
        ("decoder.blocks.0.cross.w_qkv", [], 2, "V = Z W_V"),
        ("b.attention.b_qkv", ["b.attention.b_qkv"], 0, "Q = X W_Q + b_Q"),
        ("b.feed_forward.w_in", [], None, "H = phi(X W_1)"),
        ("b.feed_forward.w_in", ["b.feed_forward.b_in"], None, "H = phi(X W_1 + b_1)"),
        ("b.feed_forward.w_gate", [], None, "H = phi(X W_gate) * (X W_up)"),
        ("norm.gamma", ["norm.gamma"], None, "x / root_mean_square * gamma"),
        ("norm.gamma", ["norm.gamma", "norm.beta"], None, "(x - mean) / deviation * gamma + beta"),
        ("lm_head.w", [], None, "logits = X W"),
    ],
)
def test_an_equation_has_a_bias_where_the_model_has_one(name, names, part, formula):
    assert equation(name, names, part)[0] == formula


def test_a_name_without_an_equation_is_an_error():
    with pytest.raises(KeyError):
        equation("blocks.0.mixer.w", [])


@pytest.mark.parametrize("name", folders.MODELS)
def test_parameters_are_counted_once(tmp_path, name):
    folders.written(tmp_path, name)
    n = sum(parameter.numel() for parameter in load_model(tmp_path).parameters())
    assert f"\n{n:,} parameters: " in "\n".join(lines(tmp_path))


def test_what_is_remembered_of_a_token_is_its_keys_and_values(tmp_path):
    folders.written(tmp_path, "llama, shared keys, tied")  # 2 blocks, 2 heads of keys, 10 wide
    described = "\n".join(lines(tmp_path))
    assert "80 keys and values are remembered for each token: 320 bytes in float32, 160 bytes in bfloat16" in described
    assert "X = E[ids]; logits = X E^T" in described


def test_an_encoder_remembers_nothing(tmp_path):
    folders.written(tmp_path, "bert")
    assert "remembered" not in "\n".join(lines(tmp_path))


def test_a_gguf_file_is_described(tmp_path, capsys):
    facts = spm_facts("a cat sat on a mat", 300)
    n = len(facts["tokenizer.ggml.tokens"])
    gguf_files.write(tmp_path / "a.gguf", gguf_files.small_model("llama", vocab_size=n), facts=facts, kind="Q8_0")
    assert main(["info", str(tmp_path / "a.gguf")]) == 0
    printed = capsys.readouterr().out
    assert f"  vocab_size = {n}\n" in printed and "  n_kv_heads = 2\n" in printed
    assert "model.layers.0-1.self_attn.q_proj.weight" in printed
    assert "Q8_0" in printed
