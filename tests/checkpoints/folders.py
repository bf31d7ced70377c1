"""Folders as ``transformers`` writes them, with random weights and odd sizes."""

import random
from pathlib import Path
from typing import Any

import torch
import transformers

from clearformer.tokenizers import CharacterTokenizer

SIZES = {"vocab_size": 37, "hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 3, "intermediate_size": 41}
LLAMA3 = {
    **{"rope_type": "llama3", "rope_theta": 500.0, "factor": 4.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0},
    "original_max_position_embeddings": 16,
}
T5 = {"vocab_size": 37, "d_model": 24, "d_kv": 5, "d_ff": 41, "num_layers": 2, "num_heads": 3}
T5["decoder_start_token_id"] = 0
GPT2 = {"vocab_size": 37, "n_embd": 24, "n_layer": 2, "n_head": 3, "n_positions": 29}
BERT, ROBERTA = SIZES | {"max_position_embeddings": 31}, SIZES | {"max_position_embeddings": 33, "type_vocab_size": 1}

# Each: the class there, and the settings of its config.
MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "gpt2": ("GPT2LMHeadModel", GPT2),
    "gpt2, gelu, 41 wide": (
        "GPT2LMHeadModel",
        {**GPT2, "n_inner": 41, "activation_function": "gelu", "layer_norm_epsilon": 1e-3},
    ),
    "gpt2, no head": ("GPT2Model", GPT2),
    "llama": ("LlamaForCausalLM", {**SIZES, "max_position_embeddings": 31}),
    "llama, shared keys, tied": (
        "LlamaForCausalLM",
        {
            **SIZES,
            **{"num_attention_heads": 6, "num_key_value_heads": 2, "head_dim": 10, "tie_word_embeddings": True},
            **{"max_position_embeddings": 64, "rope_parameters": LLAMA3, "rms_norm_eps": 1e-5},
        },
    ),
    "bert": ("BertModel", BERT),
    "bert, hidden tokens": ("BertForMaskedLM", {**BERT, "hidden_act": "relu"}),
    "bert, both tasks": ("BertForPreTraining", BERT),
    "bert, classes": ("BertForSequenceClassification", {**BERT, "num_labels": 5}),
    "bert, classes of tokens": ("BertForTokenClassification", {**BERT, "num_labels": 5}),
    "roberta": ("RobertaForMaskedLM", ROBERTA),
    "roberta, classes": ("RobertaForSequenceClassification", {**ROBERTA, "num_labels": 5}),
    "t5": ("T5ForConditionalGeneration", T5),
    "t5, a shallow decoder": ("T5ForConditionalGeneration", {**T5, "num_decoder_layers": 1}),
    "t5, gated, untied": (
        "T5ForConditionalGeneration",
        {**T5, "feed_forward_proj": "gated-gelu", "tie_word_embeddings": False, "relative_attention_num_buckets": 8},
    ),
}


def their_model(name: str, seed: int = 0) -> Any:
    """Make a model of theirs, none of whose weights is trivial."""
    kind, settings = MODELS[name]
    family = next(each for each in ("GPT2", "Llama", "Bert", "Roberta", "T5") if kind.startswith(each))
    ends = {"bos_token_id": None, "eos_token_id": None} if family in ("GPT2", "Llama") else {}
    torch.manual_seed(seed)  # theirs starts from the default generator
    model = getattr(transformers, kind)(getattr(transformers, f"{family}Config")(**settings, **ends)).eval()
    if "untied" in name:  # theirs ties what its config calls untied
        model.lm_head = torch.nn.Linear(model.config.d_model, model.config.vocab_size, bias=False)
    return perturbed(model, seed)


def perturbed(model: Any, seed: int = 0) -> Any:
    """Return the model with random numbers added to each parameter."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            spread = 0.3 if parameter.ndim < 2 else parameter.shape[-1] ** -0.5
            parameter.add_(spread * torch.randn(parameter.shape, generator=generator))
    return model


def mutate(data: bytes, rng: random.Random, most: int) -> bytes:
    """Flip, overwrite, cut out, insert or double some bytes among the first ones, or cut the rest off."""
    at, length = rng.randrange(min(most, len(data))), rng.choice([1, 2, 8, 64])
    head, part, rest = data[:at], data[at : at + length], data[at + length :]
    middle = [bytes([rng.randrange(256)]) + data[at + 1 :], bytes([rng.choice([0, 255])]) * len(part) + rest, rest]
    return head + rng.choice([*middle, rng.randbytes(length) + data[at:], part + data[at:], b""])


def write_tokenizer(folder: Path) -> None:
    """Put a tokenizer of some letters into a folder."""
    CharacterTokenizer.train("a little text").save(folder / "tokenizer.json")


def written(folder: Path, name: str, **options: Any) -> Any:
    """Write a model of theirs into a folder, with a tokenizer, and give it."""
    model = their_model(name)
    model.save_pretrained(folder, **options)
    write_tokenizer(folder)
    return model


def their_logits(model: Any, ids: torch.Tensor) -> torch.Tensor:
    """What theirs gives for some ids; of an encoder-decoder, for a target of the first three."""
    inputs: dict[str, torch.Tensor] = {"input_ids": ids}
    if hasattr(model, "get_decoder") and model.config.is_encoder_decoder:
        inputs["decoder_input_ids"] = ids[:, :3]
    with torch.no_grad():
        return model(**inputs)[0]


def our_logits(model: Any, ids: torch.Tensor) -> torch.Tensor:
    """What ours gives for the same."""
    with torch.no_grad():
        return model(ids, ids[:, :3]) if hasattr(model, "encode") else model(ids)
