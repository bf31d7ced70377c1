"""What is wrong in a GGUF file is refused in one line or two, at once, with the name of the file."""

import random
import struct
import time

import gguf
import numpy as np
import pytest

from clearformer.checkpoints import load_model
from clearformer.checkpoints.gguf_file import GGUFFile
from tests.checkpoints import folders, gguf_files
from tests.checkpoints.test_gguf_tokenizer import spm_facts

TINY = {
    **{"vocab_size": 37, "hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2},
    **{"num_key_value_heads": 1, "intermediate_size": 8},
}
MUTATIONS = 300


def refused(path, message, kind=ValueError):
    with pytest.raises(kind, match=message) as caught:
        load_model(path)
    said = str(caught.value)
    assert str(path) in said
    assert len(said.splitlines()) <= 2
    assert len(said) < 700


def written(tmp_path, architecture="llama", **options):
    settings = TINY if architecture == "llama" else {"n_embd": 16, "n_layer": 1, "n_head": 2}
    path = tmp_path / "a.gguf"
    gguf_files.write(path, gguf_files.small_model(architecture, **settings), **options)
    return path


def changed(path, at, raw):
    data = bytearray(path.read_bytes())
    data[at : at + len(raw)] = raw
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("at", "raw"),
    [
        *((0, b"GGML"), (4, struct.pack("<I", 9)), (32, b"\xff")),
        *((at, struct.pack("<Q", 1 << bits)) for at, bits in ((8, 60), (16, 40), (24, 50))),
    ],
)
def test_a_damaged_header(tmp_path, at, raw):
    refused(changed(written(tmp_path), at, raw), "is damaged or not a GGUF file")


@pytest.mark.parametrize("kept", [lambda size: 0, lambda size: 10, lambda size: 200, lambda size: size - 200])
def test_a_file_that_is_cut_short(tmp_path, kept):
    whole = written(tmp_path).read_bytes()
    path = tmp_path / "cut.gguf"
    path.write_bytes(whole[: kept(len(whole))])
    refused(path, "is damaged or not a GGUF file")


def test_a_count_that_no_file_can_hold_costs_no_time(tmp_path):
    path = written(tmp_path, facts={"a.list": [1, 2, 3]})
    at = path.read_bytes().index(b"a.list") + len("a.list") + 8
    refused(changed(path, at, struct.pack("<Q", 1 << 50)), "it is cut short: 1 numbers at byte")


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"llama.embedding_length": None}, "llama.embedding_length is missing"),
        ({"llama.embedding_length": 24, "llama.rope.dimension_count": 12}, r"\(37, 16\) F32 cannot be .*\(37, 24\)"),
        ({"llama.embedding_length": "much"}, "hidden_size must be an integer from 1 to 16,777,216, got 'much'"),
        ({"llama.attention.head_count": [2, 2]}, "num_attention_heads must be an integer"),
        ({"llama.context_length": 1 << 30}, "max_position_embeddings must be an integer from 1 to 1,048,576"),
        ({"llama.block_count": 5000}, "num_hidden_layers must be an integer from 1 to 12, got 5000"),
        ({"llama.rope.scaling.type": "yarn"}, "llama.rope.scaling.type=yarn is not supported, only none"),
        ({"llama.rope.scale_linear": 2.0}, "llama.rope.scale_linear=2.0 is not supported, only 1"),
        ({"llama.rope.scaling.factor": 4.0}, "llama.rope.scaling.factor=4.0 is not supported, only 1"),
        ({"llama.rope.dimension_count": 4}, "llama.rope.dimension_count=4 is not supported, only 8"),
        ({"llama.attention.value_length": 4}, "llama.attention.value_length=4 is not supported, only 8"),
        ({"general.alignment": 12}, "must be a non-zero power of two"),
    ],
)
def test_a_setting_that_is_missing_or_not_supported(tmp_path, facts, message):
    refused(written(tmp_path, facts=facts), message)


def test_an_architecture_that_is_not_known(tmp_path):
    writer = gguf.GGUFWriter(tmp_path / "a.gguf", "mamba")
    writer.add_tensor("token_embd.weight", np.zeros((2, 3), np.float32))
    for part in ("header", "kv_data", "tensors"):
        getattr(writer, f"write_{part}_to_file")()
    writer.close()
    refused(tmp_path / "a.gguf", "general.architecture='mamba' is not supported, only llama, gpt2")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"without": ["blk.0.attn_q.weight"]}, "1 tensors are missing: model.layers.0.self_attn.q_proj.weight"),
        ({"without": ["token_embd.weight"]}, "token_embd.weight is missing"),
        ({"more": {"blk.0.attn_q.bias": np.zeros(16, np.float32)}}, "unknown: blk.0.attn_q.bias"),
        ({"more": {"blk.0.ffn_gate_exps.weight": np.zeros((8, 16), np.float32)}}, "unknown: .*ffn_gate_exps"),
        ({"more": {"rope_freqs.weight": np.array([1, 1, 2, 3], np.float32)}}, "is not the scaling of Llama 3"),
        ({"more": {"rope_freqs.weight": np.array([1, 1, 2, np.nan], np.float32)}}, "factor=nan"),
        ({"more": {"blk.0.attn_norm.weight": np.full(16, np.nan, np.float32)}}, "16 of 16 numbers are NaN"),
    ],
)
def test_a_tensor_that_is_missing_or_strange(tmp_path, options, message):
    refused(written(tmp_path, **options), message)


def test_a_table_that_is_read_twice_and_differs(tmp_path):
    more = {"output.weight": np.zeros((37, 16), np.float32)}
    refused(written(tmp_path, "gpt2", more=more), "lm_head.weight is not equal to transformer.wte.weight")


def test_a_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        GGUFFile(tmp_path / "none.gguf")


def test_no_damage_ends_in_anything_but_a_model_or_one_line(tmp_path):
    facts = spm_facts("a cat sat on a mat", 300)
    n = len(facts["tokenizer.ggml.tokens"])
    path = tmp_path / "a.gguf"
    gguf_files.write(path, gguf_files.small_model("llama", **{**TINY, "vocab_size": n}), facts=facts)
    data, rng = path.read_bytes(), random.Random(0)
    n_header = gguf.GGUFReader(path).data_offset
    spoilt = 0
    for n in range(MUTATIONS):
        path.write_bytes(folders.mutate(data, rng, n_header if n % 4 else len(data)))
        begin = time.perf_counter()
        try:
            file = GGUFFile(path)
            file.tokenizer().encode("a cat")
            file.tokenizer_config()
            load_model(file)
        except ValueError as error:
            spoilt += 1
            assert str(error).startswith(str(path)), error
            assert len(str(error).splitlines()) <= 2
            assert len(str(error)) < 700
        assert time.perf_counter() - begin < 5
    assert spoilt > MUTATIONS / 3
