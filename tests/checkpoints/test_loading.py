"""Folders that ``transformers`` writes become models that compute and write the same."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import safetensors.torch
import torch
import transformers

import clearformer
from clearformer import decoding, models
from clearformer.checkpoints import load_model, open_checkpoint, plan, save
from clearformer.models import CachedDecoder
from clearformer.models.llama import llama_rules
from tests.checkpoints import folders

# Neither 0 nor 1, which are padding to some of them.
IDS = torch.tensor([[5, 11, 2, 30, 7, 7, 19], [9, 36, 8, 6, 3, 12, 4]])
each_model = pytest.mark.parametrize("name", folders.MODELS)


def write_greedily(model: Any, n: int) -> list[list[int]]:
    if hasattr(model, "encode"):
        with torch.no_grad():
            return decoding.greedy_search(CachedDecoder(model.decoder, model.encode(IDS)), [[0], [0]], n)
    return decoding.greedy_search(CachedDecoder(model), IDS, n)


@each_model
def test_logits_and_written_text_are_theirs(name: str, tmp_path: Path) -> None:
    theirs = folders.written(tmp_path, name)
    ours, tokenizer = clearformer.load(tmp_path)
    expected = folders.their_logits(theirs, IDS)
    if name == "bert, classes":
        assert expected.shape == (2, 5)
    if name != "gpt2, no head":  # theirs gives states, and ours logits
        torch.testing.assert_close(folders.our_logits(ours, IDS), expected, rtol=1e-5, atol=1e-5)
    else:
        with torch.no_grad():
            torch.testing.assert_close(ours.hidden_states(IDS), expected, rtol=1e-5, atol=1e-5)
    assert tokenizer.decode(tokenizer.encode("a text")) == "a text"
    if theirs.can_generate():
        given = {"max_new_tokens": 12, "do_sample": False, "attention_mask": torch.ones_like(IDS), "pad_token_id": 0}
        written = theirs.generate(IDS, eos_token_id=None, **given)
        assert write_greedily(ours, 12) == written[:, -12:].tolist()


@each_model
def test_what_is_saved_is_read_by_both(name: str, tmp_path: Path) -> None:
    theirs = folders.written(tmp_path / "theirs", name)
    loaded = load_model(tmp_path / "theirs")
    save(tmp_path / "ours", loaded, loaded.config, clearformer.load(tmp_path / "theirs")[1])
    again, _ = clearformer.load(tmp_path / "ours")
    assert all(torch.equal(tensor, again.state_dict()[at]) for at, tensor in loaded.state_dict().items())
    kind = (
        "GPT2LMHeadModel" if name == "gpt2, no head" else "BertForMaskedLM" if "both" in name else type(theirs).__name__
    )
    read, notes = getattr(transformers, kind).from_pretrained(tmp_path / "ours", output_loading_info=True)
    assert not notes["unexpected_keys"] and not notes["mismatched_keys"]
    assert all("pooler" in key for key in notes["missing_keys"])
    if "no head" not in name:
        expected = folders.their_logits(theirs, IDS)
        torch.testing.assert_close(folders.their_logits(read.eval(), IDS), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", ["gpt2", "llama, shared keys, tied", "bert, hidden tokens", "t5"])
def test_shards_are_joined(name: str, tmp_path: Path) -> None:
    theirs = folders.written(tmp_path, name, max_shard_size="10KB")
    assert len(list(tmp_path.glob("*.safetensors"))) > 2
    ours, _ = clearformer.load(tmp_path)
    torch.testing.assert_close(folders.our_logits(ours, IDS), folders.their_logits(theirs, IDS), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32, torch.float64])
@pytest.mark.parametrize("name", ["gpt2", "llama", "t5"])
def test_types_are_those_of_the_file_or_those_asked_for(name: str, dtype: torch.dtype, tmp_path: Path) -> None:
    theirs = folders.their_model(name).to(torch.bfloat16)
    theirs.save_pretrained(tmp_path)
    folders.write_tokenizer(tmp_path)
    in_file = {parameter.dtype for parameter in clearformer.load(tmp_path)[0].parameters()}
    ours, _ = clearformer.load(tmp_path, dtype=dtype)
    assert (in_file, {parameter.dtype for parameter in ours.parameters()}) == ({torch.bfloat16}, {dtype})
    if dtype == torch.float32:
        expected = folders.their_logits(type(theirs).from_pretrained(tmp_path, dtype=dtype).eval(), IDS)
        torch.testing.assert_close(folders.our_logits(ours, IDS), expected, rtol=1e-5, atol=1e-5)


def old_names(tensors: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    norms = {"LayerNorm.weight": "LayerNorm.gamma", "LayerNorm.bias": "LayerNorm.beta"}
    return {
        name.replace(*next(((a, b) for a, b in norms.items() if a in name), ("", ""))): each
        for name, each in tensors.items()
    }


def without_prefix(tensors: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    for prefix in ("transformer.", "model.", "bert."):
        tensors = {name.removeprefix(prefix): tensor for name, tensor in tensors.items()}
    return tensors


def with_what_is_known(tensors: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    first = next(name for name in tensors if re.search("word_embeddings|wte|shared|embed_tokens", name))
    table = tensors[first]
    beside = {
        "wte": {
            "transformer.h.0.attn.bias": torch.ones(1, 1, 4, 4),
            "h.1.attn.masked_bias": torch.tensor(-1e4),
            "lm_head.weight": table,
        },
        "embed_tokens": {"model.layers.1.self_attn.rotary_emb.inv_freq": torch.ones(5)},
        "word_embeddings": {
            "bert.embeddings.position_ids": torch.arange(31)[None],
            "cls.predictions.decoder.weight": table,
            "cls.seq_relationship.weight": torch.ones(2, 24),
            "bert.pooler.dense.bias": torch.ones(24),
        },
        "shared": {
            "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight": torch.ones(32, 3),
            "encoder.embed_tokens.weight": table,
            "lm_head.weight": table,
        },
    }
    return tensors | next(more for part, more in beside.items() if part in first)


@pytest.mark.parametrize("change", [old_names, without_prefix, with_what_is_known])
@pytest.mark.parametrize("name", ["gpt2", "llama", "bert, hidden tokens", "t5"])
def test_the_forms_of_published_files(name: str, change: Any, tmp_path: Path) -> None:
    theirs = folders.written(tmp_path, name)
    file = tmp_path / "model.safetensors"
    tensors = {at: tensor.clone() for at, tensor in change(safetensors.torch.load_file(file)).items()}
    safetensors.torch.save_file(tensors, file)
    ours, _ = clearformer.load(tmp_path)
    torch.testing.assert_close(folders.our_logits(ours, IDS), folders.their_logits(theirs, IDS), rtol=1e-5, atol=1e-5)


def test_writing_into_a_model_leaves_its_file_as_it_is(tmp_path: Path) -> None:
    folders.written(tmp_path, "llama")
    before = (tmp_path / "model.safetensors").read_bytes()
    model, _ = clearformer.load(tmp_path)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.fill_(1.0)
    assert (tmp_path / "model.safetensors").read_bytes() == before
    assert clearformer.load(tmp_path)[0].blocks[0].feed_forward.w_up.mean() != 1


def test_an_older_config_of_rotations(tmp_path: Path) -> None:
    theirs = folders.written(tmp_path, "llama, shared keys, tied")
    file = tmp_path / "config.json"
    config = json.loads(file.read_text())
    rope = config.pop("rope_parameters")
    config |= {"rope_theta": rope.pop("rope_theta"), "rope_scaling": rope}
    file.write_text(json.dumps(config))
    ours, _ = clearformer.load(tmp_path)
    torch.testing.assert_close(folders.our_logits(ours, IDS), folders.their_logits(theirs, IDS), rtol=1e-5, atol=1e-5)


def test_nothing_but_headers_is_read_to_plan(tmp_path: Path) -> None:
    folders.written(tmp_path, "gpt2")
    folder = open_checkpoint(tmp_path)
    shutil.rmtree(tmp_path)
    assert plan(folder).config.d_model == 24


def test_the_tensors_of_the_smallest_llama_are_those_that_theirs_has() -> None:
    settings = {"hidden_size": 4096, "intermediate_size": 11008, "num_hidden_layers": 32, "num_attention_heads": 32}
    with torch.device("meta"):  # shapes only: the weights would take 27 GB
        theirs = transformers.LlamaForCausalLM(transformers.LlamaConfig(**settings))
        ours = dict(models.llama(models.LlamaConfig()).named_parameters())
        made = {}
        for rule in llama_rules(models.LlamaConfig()):
            made |= {name: tensor.shape for name, tensor in rule.undo(ours[rule.ours]).items()}
    assert made == {name: parameter.shape for name, parameter in theirs.named_parameters()}
    assert sum(shape.numel() for shape in made.values()) == 6_738_415_616
