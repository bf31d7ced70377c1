"""A large model in a folder, loaded and continued, against transformers: python -m benchmarks.checkpoints.

A Llama of 1.1 billion random parameters, in TinyLlama's form, is written once in bfloat16. Each part runs in a process
of its own, so that peaks of memory are its own.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
import timeit
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import torch

from benchmarks.harness import Comparison, Line, main, quantity
from benchmarks.targets import TARGETS
from clearformer import checkpoints, decoding
from clearformer.inference import prepare
from clearformer.models import CachedDecoder, LlamaConfig, llama
from clearformer.tokenizers import CharacterTokenizer

NOTE = (
    "A Llama of 1.1 billion random parameters (width 2,048, 22 blocks, 4 heads of keys for 32), written in bfloat16. "
    "Two threads. The first token follows a prompt of 16; its time includes loading, with the file in the system's "
    "cache. Memory is counted without what the libraries take when they are imported."
)
CONFIG = LlamaConfig(vocab_size=32000, context=2048, d_model=2048, n_heads=32, n_kv_heads=4, n_layers=22, d_ff=5632)
FOLDER = Path(tempfile.gettempdir()) / "clearformer-benchmark-llama"
PROMPT = torch.arange(16)[None] + 100
Generate = Callable[[torch.Tensor, int], list[int]]


def ours(dtype: torch.dtype) -> Generate:
    """Greedy search with our model."""
    model, _ = checkpoints.load(FOLDER, dtype=dtype)
    prepared = prepare(model)
    return lambda ids, n: decoding.greedy_search(CachedDecoder(prepared), ids, n)[0]


def theirs(dtype: torch.dtype) -> Generate:
    """Greedy search with theirs."""
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(FOLDER, dtype=dtype)
    settings = {"do_sample": False, "pad_token_id": 0, "eos_token_id": None}
    return lambda ids, n: model.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=n, **settings)[
        0, ids.shape[1] :
    ].tolist()


def peak() -> int:
    """The most bytes this process has had in memory."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def write() -> list[float]:
    """Write the folder, unless it is there."""
    if not (FOLDER / "tokenizer.json").is_file():
        model = llama(CONFIG, torch.Generator().manual_seed(0)).to(torch.bfloat16)
        checkpoints.save(FOLDER, model, CONFIG, CharacterTokenizer.train("a little text"))
    return []


def measure(make: Callable[[torch.dtype], Generate]) -> list[float]:
    """Seconds from the beginning of loading to the first token, seconds for a later token, and the peak of memory."""
    import transformers  # noqa: F401  (both processes have imported the same)

    before, start = peak(), time.perf_counter()
    generate = make(torch.bfloat16)
    generate(PROMPT, 1)
    first, memory = time.perf_counter() - start, peak() - before
    few, many = (min(timeit.repeat(partial(generate, PROMPT, n), number=1, repeat=3)) for n in (1, 9))
    return [first, (many - few) / 8, memory / (FOLDER / "model.safetensors").stat().st_size]


ALONE = {"write": write, "ours": partial(measure, ours), "theirs": partial(measure, theirs)}


def large() -> Iterator[Line]:
    """Both in processes of their own."""
    command = [sys.executable, "-m", "benchmarks.checkpoints"]
    printed = [subprocess.run([*command, who], check=True, stdout=subprocess.PIPE).stdout for who in ALONE]
    _, us, them = map(json.loads, printed)
    works = ("time to the first token", "a token, bfloat16")
    for work, our_seconds, their_seconds in zip(works, us, them, strict=False):
        name = f"1.1-billion Llama, {work}"
        target = TARGETS.get((name, "transformers"))
        yield Comparison(name, "transformers", our_seconds, their_seconds, their_seconds / our_seconds, target, 1)
    memory = {"peer": "transformers", "theirs": round(them[2], 2)}
    yield quantity("1.1-billion Llama, peak of memory to the first token", us[2], "times the file", **memory)


if __name__ == "__main__":
    if sys.argv[1:] and sys.argv[1] in ALONE:
        print(json.dumps(ALONE[sys.argv[1]]()))
    else:
        main("checkpoints", {"large": large}, ["torch", "transformers"], NOTE)
