"""What is wrong in a GGUF file is refused in one line or two, at once, with the name of the file."""

import struct
import time
import tracemalloc

import gguf
import numpy as np
import pytest

from clearformer.checkpoints import GGUFFile, fill
from clearformer.checkpoints.gguf_header import read_header
from tests.checkpoints import gguf_files
from tests.checkpoints.test_gguf_tokenizer import spm_facts

TINY = {
    **{"vocab_size": 37, "hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2},
    **{"num_key_value_heads": 1, "intermediate_size": 8},
}
MUTATIONS = 1000


def refused(path, message, kind=ValueError):
    with pytest.raises(kind, match=message) as caught:
        file = GGUFFile(path)
        fill(file)
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
    ("at", "raw", "message"),
    [
        (0, b"GGML", "is no GGUF file: it begins with b'GGML'"),
        (4, struct.pack("<I", 1), "version 1 is not supported, only 2 and 3"),
        (4, struct.pack(">I", 3), "version 50331648 is not supported"),
        (8, struct.pack("<Q", 1 << 60), "1,152,921,504,606,846,976 tensors do not fit"),
        (16, struct.pack("<Q", 1 << 40), "1,099,511,627,776 facts do not fit"),
        (24, struct.pack("<Q", 1 << 50), "letters of the key of a fact do not fit"),
        (24, struct.pack("<Q", 0), "the key of a fact is empty"),
        (32, b"\xff", "the key of a fact is no UTF-8"),
    ],
)
def test_a_false_beginning(tmp_path, at, raw, message):
    refused(changed(written(tmp_path), at, raw), message)


def test_a_file_that_is_cut_or_too_long(tmp_path):
    whole = written(tmp_path).read_bytes()
    path = tmp_path / "cut.gguf"
    for length, message in (
        (10, "it has 10 bytes"),
        (200, "cut short"),
        (len(whole) - 200, r"output.weight ends at byte [\d,]+, and the file has [\d,]+: it is cut short"),
    ):
        path.write_bytes(whole[:length])
        refused(path, message)
    path.write_bytes(whole + bytes(100))
    refused(path, "it is too long")


def test_a_list_of_texts_that_is_cut(tmp_path):
    path = written(tmp_path, facts={"a.list": ["first", "second"]})
    path.write_bytes(path.read_bytes().partition(b"second")[0] + b"sec")
    refused(path, "text 1 of a.list does not fit: it is cut short")


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"llama.embedding_length": None}, "llama.embedding_length is missing"),
        (
            {"llama.embedding_length": 24, "llama.rope.dimension_count": 12},
            r"model.embed_tokens.weight \(37, 16\) F32 cannot be embedding.table \(37, 24\) of a.gguf",
        ),
        ({"llama.embedding_length": "much"}, "hidden_size must be a whole number from 1 to 16,777,216, got 'much'"),
        ({"llama.attention.head_count": [2, 2]}, "num_attention_heads must be a whole number"),
        ({"llama.context_length": 1 << 30}, "max_position_embeddings must be|is above"),
        ({"llama.block_count": 5000}, "num_hidden_layers=5,000, and the files hold 12 tensors"),
        ({"llama.rope.scaling.type": "yarn"}, "llama.rope.scaling.type=yarn is not supported, only none"),
        ({"llama.rope.scale_linear": 2.0}, "llama.rope.scale_linear=2.0 is not supported, only 1"),
        ({"llama.rope.scaling.factor": 4.0}, "llama.rope.scaling.factor=4.0 is not supported, only 1"),
        ({"llama.rope.dimension_count": 4}, "llama.rope.dimension_count=4 is not supported, only 8"),
        ({"llama.attention.value_length": 4}, "llama.attention.value_length=4 is not supported, only 8"),
        ({"general.alignment": 12}, "general.alignment=12 must be a power of two"),
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
        ({"more": {"blk.0.attn_q.bias": np.zeros(16, np.float32)}}, "without a place: .*self_attn.q_proj.bias"),
        ({"more": {"blk.0.ffn_gate_exps.weight": np.zeros((8, 16), np.float32)}}, "without a place: .*ffn_gate_exps"),
        ({"more": {"rope_freqs.weight": np.array([1, 1, 2, 3], np.float32)}}, "is not the scaling of Llama 3"),
        ({"more": {"rope_freqs.weight": np.array([1, 1, 2, np.nan], np.float32)}}, "is not the scaling of Llama 3"),
        ({"more": {"blk.0.attn_norm.weight": np.full(16, np.nan, np.float32)}}, "16 of 16 numbers are NaN"),
    ],
)
def test_a_tensor_that_is_missing_or_strange(tmp_path, options, message):
    refused(written(tmp_path, **options), message)


def test_a_table_that_is_read_twice_and_differs(tmp_path):
    more = {"output.weight": np.zeros((37, 16), np.float32)}
    refused(written(tmp_path, "gpt2", more=more), "lm_head.weight is not equal to transformer.wte.weight")


def test_a_kind_that_cannot_be_computed(tmp_path):
    path = written(tmp_path)
    data = path.read_bytes()
    name = b"blk.0.attn_q.weight"
    at = data.index(name) + len(name) + 4 + 2 * 8
    refused(changed(path, at, struct.pack("<I", gguf.GGMLQuantizationType.I32)), "q.weight has type I32, which is not")
    refused(changed(path, at, struct.pack("<I", 5)), "q.weight has type 5, which is not known")
    refused(changed(path, at, struct.pack("<I", gguf.GGMLQuantizationType.Q4_0)), "rows of 16, and Q4_0 stores 32")
    refused(changed(path, at, struct.pack("<I", gguf.GGMLQuantizationType.F16)), "expected")


def test_a_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        GGUFFile(tmp_path / "none.gguf")


@pytest.mark.parametrize(
    ("kind", "count", "message"),
    [
        (8, 1 << 18, "the name of a tensor is empty"),  # texts: all zeros are as many empty ones
        (8, 1 << 30, "1,073,741,824 texts of a do not fit"),
        (6, 1 << 30, "1,073,741,824 numbers of a do not fit"),
    ],
)
def test_counts_that_a_large_file_could_hold_cost_neither_time_nor_memory(tmp_path, kind, count, message):
    path = tmp_path / "a.gguf"
    with open(path, "wb") as file:
        file.write(struct.pack("<4sIQQQ1sIIQ", b"GGUF", 3, 1, 1, 1, b"a", 9, kind, count))
        file.truncate(1 << 35)  # zeros, which take no place on the disk
    begin = time.perf_counter()
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=message):
            read_header(path)
        assert tracemalloc.get_traced_memory()[1] < 1 << 27
    finally:
        tracemalloc.stop()
    assert time.perf_counter() - begin < 30


def mutated(rng, data, n_header):
    """Flip, cut out or insert some bytes, mostly in the header."""
    raw, size = bytearray(data), int(rng.integers(1, 9))
    at = int(rng.integers(0, n_header if rng.random() < 0.8 else len(raw)))
    match rng.integers(4):
        case 0:
            raw[at] ^= 1 << rng.integers(8)
        case 1:
            raw[at : at + size] = bytes([int(rng.choice([0, 0xFF]))]) * len(raw[at : at + size])
        case 2:
            del raw[at : at + size if rng.random() < 0.7 else None]
        case 3:
            raw[at:at] = rng.bytes(size)
    return bytes(raw)


def test_no_damage_ends_in_anything_but_a_model_or_one_line(tmp_path):
    facts = spm_facts("a cat sat on a mat", 300)
    n = len(facts["tokenizer.ggml.tokens"])
    path = tmp_path / "a.gguf"
    gguf_files.write(path, gguf_files.small_model("llama", **{**TINY, "vocab_size": n}), facts=facts)
    data, rng = path.read_bytes(), np.random.default_rng(0)
    n_header = min(info.start for info in read_header(path).tensors.values())
    spoilt = 0
    for _ in range(MUTATIONS):
        path.write_bytes(mutated(rng, data, n_header))
        begin = time.perf_counter()
        try:
            file = GGUFFile(path)
            file.tokenizer().encode("a cat")
            file.tokenizer_config()
            fill(file)
        except ValueError as error:
            spoilt += 1
            assert str(error).startswith(str(path)), error
            assert len(str(error).splitlines()) <= 2
            assert len(str(error)) < 700
        assert time.perf_counter() - begin < 5
    assert spoilt > MUTATIONS / 3
