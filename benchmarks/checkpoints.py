"""A large model in a folder: loading and writing against transformers: python -m benchmarks.checkpoints.

A Llama of 1.1 billion random parameters, in TinyLlama's form, is written once in bfloat16. Each line in a process of
its own, on two threads. Peaks of memory count from after the import of the libraries.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
import timeit
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.harness import afresh
from benchmarks.lines import Comparison, Quantity
from benchmarks.records import machine, machine_line, record
from clearformer import checkpoints, decoding
from clearformer.models import CachedDecoder, LlamaConfig, llama, quantize
from clearformer.tokenizers import CharacterTokenizer

NOTE = (
    "A Llama of 1.1 billion random parameters (width 2,048, 22 blocks, 4 heads of keys for 32), written in bfloat16. "
    "Each line in a process of its own, two threads. Peaks of memory without what the libraries take when imported. "
    "The first token follows a prompt of 16; its time includes loading, and the file is in the system's cache."
)
SIZES = LlamaConfig(vocab_size=32000, context=2048, d_model=2048, n_heads=32, n_kv_heads=4, n_layers=22, d_ff=5632)
PROMPT = torch.arange(16)[None] + 100


def write(folder: Path) -> list[float]:
    """Write the folder, unless it is there, and give the bytes of its tensors."""
    if not (folder / "tokenizer.json").is_file():
        model = llama(SIZES, torch.Generator().manual_seed(0)).to(torch.bfloat16)
        checkpoints.save(folder, model, SIZES, CharacterTokenizer.train("a little text"))
    return [(folder / "model.safetensors").stat().st_size]


def peak() -> int:
    """The most bytes this process has had in memory."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def ours(folder: Path, dtype: torch.dtype) -> Callable[[torch.Tensor, int], list[int]]:
    """What writes greedily with our model."""
    model, _ = checkpoints.load(folder, dtype=torch.float32 if dtype == torch.int8 else dtype)
    if dtype == torch.int8:
        quantize(model)
    return lambda ids, n: decoding.greedy_search(CachedDecoder(model), ids, n)[0]


def theirs(folder: Path, dtype: torch.dtype) -> Callable[[torch.Tensor, int], list[int]]:
    """What writes greedily with theirs."""
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(folder, dtype=dtype)
    settings = {"do_sample": False, "pad_token_id": 0, "eos_token_id": None}
    return lambda ids, n: model.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=n, **settings)[
        0, ids.shape[1] :
    ].tolist()


def first(make: Callable[..., Any], folder: Path) -> list[float]:
    """Seconds from the beginning of loading to the first token, and the peak of memory on the way."""
    import transformers  # noqa: F401  (both processes have imported the same)

    torch.ones(8, 8) @ torch.ones(8, 8)
    before, start = peak(), time.perf_counter()
    make(folder, torch.bfloat16)(PROMPT, 1)
    return [time.perf_counter() - start, peak() - before]


def speed(make: Callable[..., Any], folder: Path, dtype: torch.dtype, n: int = 12) -> list[float]:
    """Seconds a token takes after the first."""
    write_tokens = make(folder, dtype)
    write_tokens(PROMPT, 2)
    found = [timeit.timeit(partial(write_tokens, PROMPT, k), number=1) for k in (1, n, 1, n, 1, n)]
    return [(min(found[1::2]) - min(found[::2])) / (n - 1)]


def prefill(make: Callable[..., Any], folder: Path) -> list[float]:
    """Seconds from a prompt of 2,047 tokens to the next one."""
    write_tokens, ids = make(folder, torch.bfloat16), torch.arange(2047)[None] + 100
    write_tokens(PROMPT, 1)
    return [timeit.timeit(lambda: write_tokens(ids, 1), number=1)]


def bandwidth(_: Path) -> list[float]:
    """Bytes a second that memory gives to a product with one large matrix."""
    matrix, vector = np.ones((1 << 18, 1024), np.float32), np.ones(1024, np.float32)
    return [matrix.nbytes / min(timeit.repeat(lambda: matrix @ vector, number=1, repeat=9))]


def info(folder: Path) -> list[float]:
    """Seconds of the command that lists the tensors, from its start to its end."""
    command = [sys.executable, "-m", "clearformer", "info", str(folder)]
    return [min(timeit.repeat(partial(subprocess.run, command, check=True, capture_output=True), number=1, repeat=3))]


def parts() -> dict[str, Callable[[Path], list[float]]]:
    """What is measured, each in a process of its own; a process begins with the peak of the one that started it."""
    found: dict[str, Callable[[Path], list[float]]] = {
        "write": write,
        "bandwidth": bandwidth,
        "info": info,
        "int8, ours": partial(speed, ours, dtype=torch.int8),
    }
    for who in (ours, theirs):
        found[f"first, {who.__name__}"] = partial(first, who)
        found[f"prefill, {who.__name__}"] = partial(prefill, who)
        for dtype in (torch.float32, torch.bfloat16):
            found[f"{str(dtype).removeprefix('torch.')}, {who.__name__}"] = partial(speed, who, dtype=dtype)
    return found


def summary(found: dict[str, list[float]]) -> tuple[list[Comparison], list[Quantity]]:
    """Make the lines of the record."""

    def against(work: str, part: str, target: float) -> Comparison:
        us, them = found[f"{part}, ours"][0], found[f"{part}, theirs"][0]
        return Comparison(f"1.1-billion Llama, {work}", "transformers", us, them, them / us, target, 1)

    size = found["write"][0]
    lines = [
        against("time to the first token", "first", 1.0),
        against("prompt of 2,047 tokens, bfloat16", "prefill", 0.9),
        against("a token, greedy, float32", "float32", 1.0),
        against("a token, greedy, bfloat16", "bfloat16", 1.0),
    ]
    memory, float32 = [found[f"first, {who}"][1] / size for who in ("ours", "theirs")], found["float32, ours"][0]
    share = 100 * 2 * size / float32 / found["bandwidth"][0]
    return lines, [
        Quantity(
            "peak of memory, loading and first token",
            memory[0],
            "times the file",
            1.1,
            "most",
            "transformers",
            memory[1],
        ),
        Quantity("speed of float32 beside one product in NumPy", share, "%", 70, "least"),
        Quantity("the command info, from start to end", found["info"][0], "s", 1.0, "most"),
        Quantity("speed with int8, in times that of float32", float32 / found["int8, ours"][0], "times", 1.8, "least"),
    ]


def main() -> None:
    """Measure each part in a process of its own; then print and write."""
    folder = Path(tempfile.gettempdir()) / "clearformer-benchmark-llama"
    if len(sys.argv) > 1:
        print(json.dumps(parts()[sys.argv[1]](folder)))
        return
    facts = machine(["numpy", "torch", "transformers"])
    print(machine_line(facts))
    found = {}
    for part in parts():
        found[part] = afresh("benchmarks.checkpoints", part)
        print(part, found[part], flush=True)
    comparisons, quantities = summary(found)
    print(*comparisons, *quantities, sep="\n")
    print(f"\nwritten to {record('checkpoints', facts, NOTE, comparisons, quantities)}")


if __name__ == "__main__":
    main()
