"""What a model is made of: sizes, tensors with their equations, parameters and memory."""

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import torch

from clearformer.checkpoints import Checkpoint, open_checkpoint, plan
from clearformer.cli.equations import TIED, equation
from clearformer.models import GPT2Config, LlamaConfig, T5Config
from clearformer.models.tensor_names import Plan

BYTES = {"float32": 4, "bfloat16": 2, "float16": 2}
UNITS = ("bytes", "kB", "MB", "GB", "TB")
COPY, UNUSED = ("a second copy", ""), ("not used", "")


def lines(path: str | os.PathLike[str]) -> Iterator[str]:
    """Describe the model in a folder or a GGUF file by lines, from the headers of its files; errors as in ``load``."""
    checkpoint = open_checkpoint(path)
    asked = plan(checkpoint)
    yield f"{checkpoint.path}: {type(asked.config).__name__.removesuffix('Config')}"
    sizes = {name: value for name, value in vars(asked.config).items() if name != "dropout" and value is not None}
    width = max(map(len, sizes))
    yield from (f"  {name:<{width}} = {value}" for name, value in sizes.items())
    yield ""
    yield from _columns(_tensors(checkpoint, asked))
    yield ""
    yield from _needs(asked)


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


def _needs(asked: Plan) -> Iterator[str]:
    """What the model needs: parameters, memory, and keys and values for each token that it generates."""
    with torch.device("meta"):
        n = sum(parameter.numel() for parameter in asked.build().parameters())
    yield f"{n:,} parameters: {_in_each(n)}"
    cached = _cached(asked.config)
    if cached:
        yield f"{cached:,} keys and values are remembered for each token: {_in_each(cached)}"
    if isinstance(asked.config, T5Config):
        yield "and as many for each token of the source"


def _in_each(count: int) -> str:
    """The memory of some numbers in each number type."""
    said = []
    for name, size in BYTES.items():
        power = min((len(str(size * count)) - 1) // 3, len(UNITS) - 1)
        said.append(f"{size * count / 1000**power:.3g} {UNITS[power]} in {name}")
    return ", ".join(said)


def _cached(config: Any) -> int:
    """How many numbers the cache of a decoder has for each token: its keys and values in all blocks."""
    if isinstance(config, T5Config):
        return 2 * (config.n_decoder_layers or config.n_layers) * config.n_heads * config.d_k
    if isinstance(config, LlamaConfig):
        return 2 * config.n_layers * config.n_kv_heads * (config.d_k or config.d_model // config.n_heads)
    return 2 * config.n_layers * config.d_model if isinstance(config, GPT2Config) else 0
