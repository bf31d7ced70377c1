"""A forward pass of BERT-base and a training step of a GPT-2 against transformers: python -m benchmarks.training.

The same weights on both sides. Before any timing the outputs, or the losses, of both are compared.
"""

from collections.abc import Callable, Iterator

import torch
from torch import Tensor, nn

from benchmarks.generation import COURSE
from benchmarks.harness import Line, compare, main
from clearformer.inference import prepare
from clearformer.models import BertConfig, GPT2Config
from linebyline.parity.peers import bert_pair, gpt2_pair

NOTE = (
    "A forward pass of BERT-base on 8 sequences of 128 tokens without gradients, and a training step of the course's "
    "model on 16 sequences of 128 tokens with PyTorch's fused AdamW and no dropout; two threads."
)


@torch.inference_mode()
def forward(config: BertConfig, rounds: int) -> Iterator[Line]:
    """Hidden states of eight sequences without padding."""
    plain, theirs, _ = bert_pair(config)
    ids = torch.randint(config.vocab_size, (8, 128), generator=torch.Generator().manual_seed(1))
    for kind, ours in (("prepared", prepare(plain)), ("plain", plain)):
        torch.testing.assert_close(ours(ids), theirs(ids).last_hidden_state, rtol=1e-3, atol=1e-3)
        work = f"forward pass, BERT-base, 8 x 128, {kind}"
        yield compare(work, "BertModel", lambda ours=ours: ours(ids), lambda: theirs(ids), rounds=rounds)


def training_step(model: nn.Module, ids: Tensor) -> Callable[[], float]:
    """One step of AdamW on the next-token loss of a batch."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)

    def step() -> float:
        output = model(ids[:, :-1])
        logits = output if isinstance(output, Tensor) else output.logits
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


def training(config: GPT2Config, rounds: int) -> Iterator[Line]:
    """A training step on 16 sequences of 128 tokens."""
    ids = torch.randint(config.vocab_size, (16, 129), generator=torch.Generator().manual_seed(2))
    ours, theirs = (training_step(model.train(), ids) for model in gpt2_pair(config)[:2])
    first, second = ours(), theirs()
    assert abs(first - second) < 1e-4 * first, f"losses {first} and {second}"
    yield compare("training step, 16 x 128", "GPT2LMHeadModel", ours, theirs, rounds=rounds)


PARTS = {"forward": lambda: forward(BertConfig(), 9), "training": lambda: training(COURSE, 15)}

if __name__ == "__main__":
    main("training", PARTS, ["torch", "transformers"], NOTE)
