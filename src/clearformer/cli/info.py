"""What a model is made of: sizes, tensors with their equations, parameters and memory."""

import math
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from clearformer.checkpoints import Checkpoint, Folder, open_checkpoint, plan
from clearformer.cli.equations import TIED, equation
from clearformer.models import GPT2Config, LlamaConfig, T5Config
from clearformer.models.tensor_names import Plan

BYTES = {"float32": 4, "bfloat16": 2, "float16": 2}
UNITS = ("bytes", "kB", "MB", "GB", "TB")
VOCABULARIES = {"llama": "SPM", "gpt2": "BPE"}  # as llama.cpp calls them
COPY, UNUSED = ("a second copy", ""), ("not used", "")


def lines(path: str | os.PathLike[str]) -> Iterator[str]:
    """Describe a model, line by line, from the headers of its files alone.

    Args:
        path: A folder or a GGUF file.

    Raises:
        FileNotFoundError: a file is missing.
        ValueError: a file is damaged, or the model is not supported.
    """
    checkpoint = open_checkpoint(path)
    asked = plan(checkpoint)
    yield f"{checkpoint.path}: {type(asked.config).__name__.removesuffix('Config')}"
    yield from _sizes(checkpoint, asked)
    yield ""
    yield from _columns(_tensors(checkpoint, asked))
    yield ""
    yield from _needs(checkpoint, asked)


def _sizes(checkpoint: Checkpoint, asked: Plan) -> Iterator[str]:
    """The sizes by our names, and of a GGUF file as llama.cpp prints them."""
    if isinstance(checkpoint, Folder):
        said: Mapping[str, Any] = {name: value for name, value in vars(asked.config).items() if name != "dropout"}
    else:
        kind = checkpoint.metadata.get("tokenizer.ggml.model")
        said = {"vocab type": VOCABULARIES.get(str(kind), kind), **sizes(asked.config)}
    width = max(map(len, said))
    for name, value in said.items():
        yield f"  {name:<{width}} = {value}"


def _tensors(checkpoint: Checkpoint, asked: Plan) -> Iterator[tuple[str, ...]]:
    """A row for each tensor; those that differ only in the number of their block share one."""
    places = asked.places(checkpoint.entries, str(checkpoint.path))
    names = {rule.ours for rule in asked.rules}
    formulas = {
        places[theirs]: equation(rule.ours, names, number if len(rule.theirs) > 1 else None)
        for rule in asked.rules
        for number, theirs in enumerate(rule.theirs)
    }
    if asked.tied:
        tables = (rule.theirs[0] for rule in asked.rules if rule.ours.endswith("embedding.table"))
        formulas |= {places[table]: (TIED, "embeddings") for table in tables}
    formulas |= {places[copy]: COPY for copy in asked.copies if copy in places}
    groups: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for name, entry in checkpoint.entries.items():
        block = re.search(r"(?<=\.)\d+(?=\.)", name)
        general = name if block is None else f"{name[: block.start()]}#{name[block.end() :]}"
        shape = " x ".join(f"{axis:,}" for axis in entry.shape)
        groups[general, shape, entry.kind, *formulas.get(name, UNUSED)].append(int(block[0]) if block else 0)
    yield "tensor", "shape", "type", "equation", "chapter"
    for (general, *rest), numbers in groups.items():
        yield general.replace("#", _ranges(numbers), 1), *rest


def _ranges(numbers: Iterable[int]) -> str:
    """Write whole numbers as ranges.

    Example:
        >>> _ranges([0, 1, 2, 5, 7, 8])
        '0-2,5,7-8'
    """
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ",".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def _columns(rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """Rows in columns."""
    table = list(rows)
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for row in table:
        yield "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()


def _needs(checkpoint: Checkpoint, asked: Plan) -> Iterator[str]:
    """What the model needs: parameters, memory, and keys and values for each token that it generates."""
    places = asked.places(checkpoint.entries, str(checkpoint.path))
    n = sum(
        math.prod(shape) - rule.skip * shape[-1]
        for rule in asked.rules
        for shape in (checkpoint.entries[places[theirs]].shape for theirs in rule.theirs)
    )
    yield f"{n:,} parameters: {_in_each(n)}"
    held = _held(asked.config)
    if held:
        yield f"{held:,} keys and values are remembered for each token: {_in_each(held)}"
    if isinstance(asked.config, T5Config):
        yield "and as many for each token of the source"


def _in_each(count: int) -> str:
    """The memory of some numbers in each number type.

    Example:
        >>> _in_each(7_000_000_000)
        '28 GB in float32, 14 GB in bfloat16, 14 GB in float16'
    """
    said = []
    for name, size in BYTES.items():
        power = min((len(str(size * count)) - 1) // 3, len(UNITS) - 1)
        said.append(f"{size * count / 1000**power:.3g} {UNITS[power]} in {name}")
    return ", ".join(said)


def _held(config: Any) -> int:
    """The number of numbers that keys and values of a token have in all blocks of a decoder."""
    if isinstance(config, T5Config):
        return 2 * (config.n_decoder_layers or config.n_layers) * config.n_heads * config.d_k
    if isinstance(config, GPT2Config | LlamaConfig):
        said = sizes(config)
        return said["n_layer"] * (said["n_embd_k_gqa"] + said["n_embd_v_gqa"])
    return 0


def sizes(config: GPT2Config | LlamaConfig) -> dict[str, int]:
    """Return the sizes of a decoder as llama.cpp prints them when it loads a model.

    ``n_gqa`` is the number of queries that share a key, and ``n_embd_k_gqa`` the width of all keys of a token.

    Example:
        >>> printed = sizes(LlamaConfig(n_heads=32, n_kv_heads=8))
        >>> printed["n_gqa"], printed["n_embd_k_gqa"]
        (4, 1024)
    """
    n_kv_heads = config.n_kv_heads if isinstance(config, LlamaConfig) else config.n_heads
    d_k = (config.d_k if isinstance(config, LlamaConfig) else None) or config.d_model // config.n_heads
    return {
        "n_vocab": config.vocab_size,
        "n_ctx_train": config.context,
        "n_embd": config.d_model,
        "n_head": config.n_heads,
        "n_head_kv": n_kv_heads,
        "n_layer": config.n_layers,
        **dict.fromkeys(("n_rot", "n_embd_head_k", "n_embd_head_v"), d_k),
        "n_gqa": config.n_heads // n_kv_heads,
        **dict.fromkeys(("n_embd_k_gqa", "n_embd_v_gqa"), n_kv_heads * d_k),
        "n_ff": config.d_ff,
    }
