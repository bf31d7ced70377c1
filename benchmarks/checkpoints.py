"""A large model in a folder: loading and writing against transformers: python -m benchmarks.checkpoints.

A Llama of 1.1 billion random parameters, in TinyLlama's form, is written once in bfloat16. Each line in a process of
its own, on two threads. Peaks of memory count from after the import of the libraries.
"""

import json
import resource
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

from benchmarks.harness import afresh, print_for_parent
from benchmarks.lines import Comparison, Line, Quantity
from benchmarks.records import machine, machine_line, record
from clearformer import checkpoints, decoding
from clearformer.models import CachedDecoder, LlamaConfig, llama
from clearformer.tokenizers import CharacterTokenizer

NOTE = (
    "A Llama of 1.1 billion random parameters (width 2,048, 22 blocks, 4 heads of keys for 32), written in bfloat16. "
    "Each line in a process of its own, two threads. Peaks of memory without what the libraries take when imported. "
    "The first token follows a prompt of 16; its time includes loading, and the file is in the system's cache."
)
SIZES = LlamaConfig(vocab_size=32000, context=2048, d_model=2048, n_heads=32, n_kv_heads=4, n_layers=22, d_ff=5632)
PROMPT = torch.arange(16)[None] + 100


def write(folder: Path) -> None:
    """Write the folder, unless it is there."""
    if not (folder / "tokenizer.json").is_file():
        model = llama(SIZES, torch.Generator().manual_seed(0)).to(torch.bfloat16)
        checkpoints.save(folder, model, SIZES, CharacterTokenizer.train("a little text"))


def peak() -> int:
    """The most bytes this process has had in memory."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def ours(folder: Path, dtype: torch.dtype) -> Callable[[torch.Tensor, int], list[int]]:
    """What writes greedily with our model."""
    model, _ = checkpoints.load(folder, dtype=dtype)
    return lambda ids, n: decoding.greedy_search(CachedDecoder(model), ids, n)[0]


def theirs(folder: Path, dtype: torch.dtype) -> Callable[[torch.Tensor, int], list[int]]:
    """What writes greedily with theirs."""
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(folder, dtype=dtype)
    settings = {"do_sample": False, "pad_token_id": 0, "eos_token_id": None}
    return lambda ids, n: model.generate(
        ids, attention_mask=torch.ones_like(ids), max_new_tokens=n, **settings
    )[0, ids.shape[1] :].tolist()


def first(make: Callable[..., Any], folder: Path) -> list[Line]:
    """Seconds from the beginning of loading to the first token, and the peak of memory on the way."""
    import transformers  # noqa: F401  (both processes have imported the same)

    torch.ones(8, 8) @ torch.ones(8, 8)
    before, start = peak(), time.perf_counter()
    make(folder, torch.bfloat16)(PROMPT, 1)
    seconds = time.perf_counter() - start
    return [Quantity("seconds", seconds, "s"), Quantity("memory", peak() - before, "bytes")]


def speed(make: Callable[..., Any], folder: Path, dtype: torch.dtype, n: int = 12) -> list[Line]:
    """Seconds a token takes after the first."""
    write_tokens = make(folder, dtype)
    write_tokens(PROMPT, 2)
    found = [timeit.timeit(partial(write_tokens, PROMPT, k), number=1) for k in (1, n, 1, n, 1, n)]
    return [Quantity("seconds", (min(found[1::2]) - min(found[::2])) / (n - 1), "s")]


def prefill(make: Callable[..., Any], folder: Path) -> list[Line]:
    """Seconds that a prompt of 2,048 tokens takes, less one for the token that follows."""
    write_tokens, ids = make(folder, torch.bfloat16), torch.arange(2047)[None] % 31999 + 1
    write_tokens(PROMPT, 1)
    return [Quantity("seconds", timeit.timeit(lambda: write_tokens(ids, 1), number=1), "s")]


def bandwidth(_: Path) -> list[Line]:
    """Bytes a second that memory gives to a product with one large matrix."""
    matrix, vector = np.ones((1 << 18, 1024), np.float32), np.ones(1024, np.float32)
    return [Quantity("bandwidth", matrix.nbytes / min(timeit.repeat(lambda: matrix @ vector, number=1, repeat=9)), "B")]


PARTS: dict[str, Callable[[Path], list[Line]]] = {
    "bandwidth": bandwidth,
    **{f"first {make.__name__}": partial(first, make) for make in (ours, theirs)},
    **{f"prefill {make.__name__}": partial(prefill, make) for make in (ours, theirs)},
    **{
        f"{make.__name__} {str(dtype).removeprefix('torch.')}": partial(speed, make, dtype=dtype)
        for make, dtype in (
            *((make, dtype) for make in (ours, theirs) for dtype in (torch.float32, torch.bfloat16)),
            (ours, torch.int8),
        )
    },
}


def main() -> None:
    """Measure each part in a process of its own; then print and write."""
    folder = Path(tempfile.gettempdir()) / "clearformer-benchmark-llama"
    if len(sys.argv) > 1:
        print_for_parent(PARTS[sys.argv[1]](folder))
        return
    facts = machine(["numpy", "torch", "transformers"])
    print(machine_line(facts))
    write(folder)
    size = (folder / "model.safetensors").stat().st_size
    found: dict[str, list[float]] = {}
    for part in PARTS:
        found[part] = [line["ours"] for line in afresh("benchmarks.checkpoints", part)]
        print(f"{part:20} {json.dumps(found[part])}", flush=True)
    lines = summary({part: numbers[0] for part, numbers in found.items()}, [found[f"first {who}"][1] for who in ("ours", "theirs")], size)
    print(*lines, sep="\n")
    print(f"\nwritten to {record('checkpoints', facts, NOTE, [line for line in lines if isinstance(line, Comparison)], quantities=[line for line in lines if isinstance(line, Quantity)])}")
