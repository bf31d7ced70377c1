"""Models against transformers, on the same weights: python -m benchmarks.models.

All run on two threads, each part in five fresh processes, of which the one in the middle counts. Generation is
of a single sequence, from a prompt of 16 tokens; before any timing the tokens of ours are compared with theirs,
unless they are drawn. Training takes the same steps with PyTorch's fused AdamW, without dropout.
"""

import os

THREADS = 2
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = str(THREADS)  # NumPy reads these when it is imported

# ruff: noqa: E402
import sys
import timeit
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from transformers import GPT2Config, GPT2LMHeadModel

from benchmarks.harness import Comparison, compare, machine, machine_line, print_for_parent, record, typical
from clearformer import decoding
from clearformer import functional as F
from clearformer.models import CachedDecoder, Decoder, DecoderConfig
from clearformer.nn import FeedForward

PACKAGES = ["numpy", "torch", "transformers"]
NOTE = (
    "The same weights on both sides, two threads; of five processes the one in the middle. "
    "Generation: one sequence, from 16 tokens. "
    "Training: 16 sequences of 128 tokens, AdamW, no dropout. "
    "The course's model has a vocabulary of 512, a width of 128 and 4 layers; GPT-2 small is random."
)
COURSE = DecoderConfig(vocab_size=512, context=256, d_model=128, n_heads=4, n_layers=4, d_ff=512)
GPT2_SMALL = DecoderConfig(vocab_size=50257, context=1024, d_model=768, n_heads=12, n_layers=12, d_ff=3072)
PROMPT = 16
COURSE_TARGETS = {"greedy, PyTorch": 3.0, "greedy, NumPy": 3.5, "top-p, PyTorch": 3.0, "beam-4, PyTorch": 2.0}
OUTSIDE = {"wte.weight": "embedding", "wpe.weight": "position.table", "ln_f.weight": "norm.gamma"}
INSIDE = {
    "ln_1.weight": "norm_attention.gamma",
    "ln_1.bias": "norm_attention.beta",
    "attn.c_attn.weight": "attention.w_qkv",
    "attn.c_attn.bias": "attention.b_qkv",
    "attn.c_proj.weight": "attention.w_o",
    "attn.c_proj.bias": "attention.b_o",
    "ln_2.weight": "norm_feed_forward.gamma",
    "ln_2.bias": "norm_feed_forward.beta",
    "mlp.c_fc.weight": "feed_forward.w_in",
    "mlp.c_fc.bias": "feed_forward.b_in",
    "mlp.c_proj.weight": "feed_forward.w_out",
    "mlp.c_proj.bias": "feed_forward.b_out",
}


def pair(config: DecoderConfig) -> tuple[Decoder, GPT2LMHeadModel]:
    """Our decoder with random weights, and theirs with the same."""
    gelu_tanh = partial(FeedForward, activation=partial(nn.functional.gelu, approximate="tanh"))
    ours = Decoder(config, generator=torch.Generator().manual_seed(0), feed_forward=gelu_tanh).eval()
    theirs = GPT2LMHeadModel(
        GPT2Config(
            vocab_size=config.vocab_size,
            n_positions=config.context,
            n_embd=config.d_model,
            n_layer=config.n_layers,
            n_head=config.n_heads,
            bos_token_id=None,
            eos_token_id=None,
            resid_pdrop=0.0,
            embd_pdrop=0.0,
            attn_pdrop=0.0,
        )
    ).eval()
    names = {**OUTSIDE, "ln_f.bias": "norm.beta"}
    names |= {f"h.{n}.{a}": f"blocks.{n}.{b}" for n in range(config.n_layers) for a, b in INSIDE.items()}
    state = ours.state_dict()
    theirs.transformer.load_state_dict({name: state[our_name] for name, our_name in names.items()})
    return ours, theirs


def with_numpy(weights: dict[str, np.ndarray], n_heads: int, ids: Tensor, n: int) -> list[int]:
    """Write the most probable token n times, with the decoder in NumPy."""
    new, caches, written = ids[0].numpy(), None, []
    for _ in range(n):
        logits, caches = F.decoder(weights, new, caches, n_heads=n_heads, activation=F.gelu_tanh)
        new = logits.argmax(keepdims=True)
        written.append(int(new[0]))
    return written


def with_transformers(model: GPT2LMHeadModel, ids: Tensor, n: int, **settings: Any) -> list[int]:
    """Let theirs write n tokens."""
    settings = {"attention_mask": torch.ones_like(ids), "do_sample": False, "pad_token_id": 0, **settings}
    return model.generate(ids, max_new_tokens=n, **settings)[0, ids.shape[1] :].tolist()


def generation(
    name: str, config: DecoderConfig, n: int, targets: dict[str, float | None], rounds: int
) -> Iterator[Comparison]:
    """Generation of one sequence: the ways that have a target, even if it is None."""
    ours, theirs = pair(config)
    weights = F.lay_out({name: tensor.numpy() for name, tensor in ours.state_dict().items()})
    ids = torch.randint(config.vocab_size, (1, PROMPT), generator=torch.Generator().manual_seed(1))
    generator, nucleus = torch.Generator().manual_seed(0), decoding.pipeline(p=0.9)
    greedy = partial(with_transformers, theirs, ids, n)
    ways: dict[str, tuple[Callable[[], list[int]], Callable[[], list[int]]]] = {
        "greedy, PyTorch": (lambda: decoding.greedy_search(CachedDecoder(ours), ids, n)[0], greedy),
        "greedy, NumPy": (partial(with_numpy, weights, config.n_heads, ids, n), greedy),
        "top-p, PyTorch": (
            lambda: decoding.sample(CachedDecoder(ours), ids, n, generator=generator, process=nucleus)[0],
            partial(greedy, do_sample=True, top_p=0.9, top_k=0),
        ),
        "beam-4, PyTorch": (
            lambda: decoding.beam_search(CachedDecoder(ours), ids[0], n, n_beams=4)[0].tokens,
            partial(greedy, num_beams=4),
        ),
    }
    for way, target in targets.items():
        we_write, they_write = ways[way]
        if not way.startswith("top-p"):  # chance takes another path through another library
            assert we_write() == they_write(), f"{name}, {way}: other tokens than theirs"
        yield compare(
            f"{n} tokens, {name}, {way}", "transformers generate", we_write, they_write, rounds=rounds, target=target
        )


def shares_of_bandwidth(config: DecoderConfig, n: int = 16, rounds: int = 8) -> tuple[float, float, float]:
    """Bytes a second that memory gives to a product with one large matrix, and the shares that steps in NumPy reach.

    One step has its matrices laid out for reading, the other as they come from PyTorch.
    """
    model = Decoder(config, generator=torch.Generator().manual_seed(0))
    weights = {name: tensor.numpy() for name, tensor in model.state_dict().items()}
    read = sum(array.nbytes for name, array in weights.items() if name != "position.table")
    matrix, vector = np.ones((read // 4096, 1024), np.float32), np.ones(1024, np.float32)
    calls = [partial(np.matmul, matrix, vector)]
    for arranged in (F.lay_out(weights), weights):
        step = partial(F.decoder, arranged, n_heads=config.n_heads, activation=F.gelu_tanh)
        _, caches = step(np.arange(PROMPT))
        calls.append(partial(step, np.array([1]), caches))
    fetch, one, other = np.min([[timeit.timeit(call, number=n) / n for call in calls] for _ in range(rounds)], axis=0)
    return read / fetch, fetch / one, fetch / other


def training_step(model: nn.Module, ids: Tensor, *, bfloat16: bool) -> Callable[[], None]:
    """One step of AdamW on a batch."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    targets = ids[:, 1:].flatten()

    def step() -> None:
        with torch.autocast("cpu", torch.bfloat16, enabled=bfloat16):
            output = model(ids[:, :-1])
            logits = output if isinstance(output, Tensor) else output.logits
        loss = nn.functional.cross_entropy(logits.flatten(0, 1).float(), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    return step


def training(rounds: int) -> Iterator[Comparison]:
    """A training step on 16 sequences of 128 tokens."""
    ids = torch.randint(COURSE.vocab_size, (16, 129), generator=torch.Generator().manual_seed(2))
    for ours_16, theirs_16, target in ((False, False, 1.15), (True, False, 1.6), (True, True, None)):
        ours, theirs = (model.train() for model in pair(COURSE))
        steps = training_step(ours, ids, bfloat16=ours_16), training_step(theirs, ids, bfloat16=theirs_16)
        for step in (*steps, *steps):
            step()
        kinds = [f"{'bfloat16' if narrow else 'float32'}" for narrow in (ours_16, theirs_16)]
        yield compare(
            f"training step, 16 x 128, {kinds[0]}",
            f"GPT2LMHeadModel, {kinds[1]}",
            *steps,
            rounds=rounds,
            target=target,
        )


PARTS: dict[str, Callable[[], Iterator[Comparison]]] = {
    "course": lambda: generation("course model", COURSE, 128, COURSE_TARGETS, 15),
    "gpt2": lambda: generation("GPT-2 small", GPT2_SMALL, 32, {"greedy, PyTorch": None, "greedy, NumPy": 2.0}, 5),
    "training": lambda: training(15),
}


def main() -> None:
    """Print every comparison as it is made, then write them all; or make those of one part."""
    torch.set_num_threads(THREADS)
    if len(sys.argv) > 1:
        print_for_parent(PARTS[sys.argv[1]]())
        return
    facts = machine(PACKAGES)
    print(machine_line(facts))
    comparisons = []
    for part in PARTS:
        of_part = typical("benchmarks.models", part)
        print(*of_part, sep="\n", flush=True)
        comparisons += of_part
    bandwidth, share, share_unarranged = shares_of_bandwidth(GPT2_SMALL)
    print(f"memory gives {bandwidth / 1e9:.1f} GB/s; a step of GPT-2 small in NumPy reaches {share:.2f}   target 0.70")
    print(f"with matrices as they come {share_unarranged:.2f}")
    figures = {
        "bandwidth_bytes_per_second": round(bandwidth),
        "share_of_bandwidth": round(share, 3),
        "share_of_bandwidth_unarranged": round(share_unarranged, 3),
    }
    print(f"\nwritten to {record('models', comparisons, facts, NOTE, **figures)}")


if __name__ == "__main__":
    main()
