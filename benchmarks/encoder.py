"""A forward pass of an encoder against transformers, on the same weights: python -m benchmarks.encoder.

Eight sequences of 128 tokens, on two threads; in five fresh processes, of which the one in the middle counts. Before
any timing the states of ours are compared with theirs.
"""

from collections.abc import Iterator

import torch

from benchmarks.harness import compare, run_parts
from benchmarks.lines import Comparison
from benchmarks.sizes import BERT_BASE
from clearformer.course.parity.peers import bert_pair
from clearformer.models import BertConfig

NOTE = "BERT-base with the same random weights on both sides, 8 sequences of 128 tokens, two threads, no gradients."


@torch.inference_mode()
def forward(config: BertConfig, rounds: int, B: int = 8, T: int = 128) -> Iterator[Comparison]:
    """All states of some sequences without padding."""
    ours, theirs, _ = bert_pair(config)
    ids = torch.randint(config.vocab_size, (B, T), generator=torch.Generator().manual_seed(1))
    torch.testing.assert_close(ours(ids), theirs(ids).last_hidden_state, rtol=1e-3, atol=1e-3)
    work = f"forward pass, BERT-base, {B} x {T}"
    yield compare(work, "BertModel", lambda: ours(ids), lambda: theirs(ids), rounds=rounds, target=1.0)


if __name__ == "__main__":
    run_parts("encoder", {"bert": lambda: forward(BERT_BASE, 9)}, ["torch", "transformers"], NOTE)
