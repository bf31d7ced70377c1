"""What is wrong with a folder is said in a line or two, with the file and the tensor; nothing hangs or fills memory."""

import json
import random
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import safetensors.torch
import torch

import clearformer
from clearformer.checkpoints import load_model, save
from clearformer.models import GPT2Config, T5Config, gpt2
from tests.checkpoints import folders

MUTATIONS = 400


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folders.written(tmp_path, "llama")
    return tmp_path


def tensors_with(folder: Path, change: Callable[[dict[str, torch.Tensor]], object]) -> None:
    file = folder / "model.safetensors"
    tensors = safetensors.torch.load_file(file)
    change(tensors)
    safetensors.torch.save_file(tensors, file)


def config_with(folder: Path, **changes: Any) -> None:
    file = folder / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | changes))


def refused(folder: Path, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words) as caught:
        clearformer.load(folder)
    assert len(str(caught.value).splitlines()) <= 2
    assert len(str(caught.value)) < 500


DOWN, NORM = "model.layers.1.mlp.down_proj.weight", "model.norm.weight"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda t: t.pop(DOWN), rf"1 tensors are missing: {DOWN}"),
        (lambda t: t.update({"extra.weight": torch.ones(2)}), "1 tensors are unknown: extra.weight"),
        (lambda t: t.update({DOWN: torch.ones(24, 40)}), rf"{DOWN} \(24, 40\) F32 cannot be .*w_down \(41, 24\)"),
        (lambda t: t.update({DOWN: t[DOWN].T.contiguous()}), r"\(41, 24\) F32 cannot be"),
        (lambda t: t.update({NORM: torch.ones(24).int()}), f"{NORM} must contain floats, got torch.int32"),
        (lambda t: t[DOWN].fill_(torch.nan), rf"{DOWN}: 984 of 984 numbers are NaN or infinite"),
        (lambda t: t[NORM][3:4].fill_(torch.inf), f"{NORM}: 1 of 24 numbers are NaN"),
        (lambda t: t.update({"norm.weight": torch.ones(24)}), "norm.weight and .*norm.weight are the same tensor"),
    ],
)
def test_tensors(folder: Path, change: Any, words: str) -> None:
    tensors_with(folder, change)
    refused(folder, ValueError, words)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"model_type": "mamba"}, "model_type='mamba' is not supported, only gpt2, llama, bert, roberta, t5"),
        ({"model_type": None}, "model_type=None is not supported"),
        ({"num_hidden_layers": 1}, "tensors are unknown: model.layers.1."),
        ({"num_hidden_layers": 10**9}, "num_hidden_layers must be an integer from 1 to 21"),
        ({"num_hidden_layers": 10**6}, "num_hidden_layers must be an integer from 1 to 21, got 1000000"),
        ({"vocab_size": 38}, r"embed_tokens.weight \(37, 24\) F32 cannot be embedding.table \(38, 24\)"),
        ({"hidden_size": 25}, r"cannot be embedding.table \(37, 25\)"),
        ({"num_key_value_heads": 2}, "config.json: .*n_heads=3"),
        ({"hidden_size": 2**20, "head_dim": 2**20}, "cannot be|no model can"),
        ({"num_attention_heads": "3"}, "num_attention_heads must be an integer from 1 to 16,777,216, got '3'"),
        ({"num_attention_heads": True}, "num_attention_heads must be an integer"),
        ({"max_position_embeddings": 10**7}, "max_position_embeddings must be an integer from 1 to 1,048,576"),
        ({"hidden_act": "gelu"}, "hidden_act='gelu' is not supported, only silu"),
        ({"attention_bias": True}, "attention_bias=True is not supported, only False"),
        ({"rms_norm_eps": -1}, "rms_norm_eps must be a positive number, got -1"),
        ({"rope_parameters": {"rope_type": "yarn"}}, "rope_type='yarn' is not supported, only default and llama3"),
        ({"rope_parameters": 3}, "rope_parameters must be an object, got 3"),
        ({"tie_word_embeddings": True}, "lm_head.weight is not equal to model.embed_tokens.weight"),
    ],
)
def test_settings(folder: Path, changes: dict[str, Any], words: str) -> None:
    config_with(folder, **changes)
    refused(folder, ValueError, words)


def test_files(folder: Path) -> None:
    weights, config = folder / "model.safetensors", folder / "config.json"
    whole = weights.read_bytes()
    for damaged in (whole[:-10], whole + bytes(10), b"1234567", b"", struct.pack("<Q", 1 << 60) + whole[8:]):
        weights.write_bytes(damaged)
        refused(folder, ValueError, "model.safetensors is damaged or not a safetensors file")
    weights.rename(folder / "pytorch_model.bin")
    refused(folder, FileNotFoundError, "pytorch_model.bin only, a pickle, which could run any code: convert it with")
    (folder / "pytorch_model.bin").unlink()
    refused(folder, FileNotFoundError, "has no safetensors file")
    config.write_text("{")
    refused(folder, ValueError, "config.json is not JSON")
    config.write_text("[" * 100_000)
    refused(folder, ValueError, "config.json is not JSON")
    config.write_text("[]")
    refused(folder, ValueError, "config.json must hold an object")
    config.unlink()
    refused(folder, FileNotFoundError, "has no config.json")


def test_a_folder_without_a_tokenizer(folder: Path) -> None:
    (folder / "tokenizer.json").unlink()
    refused(folder, FileNotFoundError, "has no tokenizer.json; checkpoints.load_model needs none")
    assert load_model(folder).config.d_model == 24


def test_shards(tmp_path: Path) -> None:
    folders.written(tmp_path, "llama", max_shard_size="10KB")
    index, shards = tmp_path / "model.safetensors.index.json", sorted(tmp_path.glob("*.safetensors"))
    whole = json.loads(index.read_text())
    first = min(whole["weight_map"])
    for name, words in (("../model.safetensors", "not in the folder"), (3, "not in the folder")):
        index.write_text(json.dumps({"weight_map": whole["weight_map"] | {first: name}}))
        refused(tmp_path, FileNotFoundError, words)
    index.write_text("{}")
    refused(tmp_path, ValueError, "has no weight_map")
    index.unlink()
    refused(tmp_path, FileNotFoundError, rf"has {len(shards)} safetensors files, and no model.safetensors.index.json")
    index.write_text(json.dumps(whole))
    shards[1].unlink()
    refused(tmp_path, FileNotFoundError, f"names the file '{shards[1].name}', which is not in the folder")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["model.safetensors", "config.json", "tokenizer.json", "model.safetensors.index.json"])
def test_damaged_files_are_refused_or_load(name: str, tmp_path: Path) -> None:
    folders.written(tmp_path, "gpt2", **({"max_shard_size": "10KB"} if "index" in name else {}))
    file, rng = tmp_path / name, random.Random(name)
    whole, outcomes = file.read_bytes(), {"refused": 0, "loaded": 0}
    header = 8 + int.from_bytes(whole[:8], "little") if name == "model.safetensors" else len(whole)
    for n in range(MUTATIONS):
        file.write_bytes(folders.mutate(whole, rng, header if n % 4 else len(whole)))
        try:
            clearformer.load(tmp_path)
            outcomes["loaded"] += 1
        except (ValueError, FileNotFoundError) as error:
            assert str(tmp_path) in str(error), error
            assert len(str(error).splitlines()) <= 2, error
            assert len(str(error)) < 1_000, error
            outcomes["refused"] += 1
    assert min(outcomes.values()) > 0, outcomes


def test_saving_what_has_no_form(tmp_path: Path) -> None:
    config = GPT2Config(vocab_size=11, context=16, d_model=8, n_heads=2, n_layers=1, d_ff=32)
    model = gpt2(config, torch.Generator().manual_seed(0))
    with pytest.raises(ValueError, match=r"not that of the config: blocks.1.attention.b_o \(8,\) is not in both"):
        save(tmp_path, model, GPT2Config(vocab_size=11, context=16, d_model=8, n_heads=2, n_layers=2, d_ff=32))
    with pytest.raises(ValueError, match=r"a T5 with gelu_tanh has no name in a config\.json"):
        save(tmp_path, model, T5Config(activation="gelu_tanh"))
    with pytest.raises(ValueError, match="a Decoder with a dict has no published form"):
        save(tmp_path, model, vars(config))  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())
