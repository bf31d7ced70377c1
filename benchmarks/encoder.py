"""An encoder reads, and fills in hidden tokens, against transformers: python -m benchmarks.encoder.

Eight sequences of 128 tokens, on two threads, with the same weights; in five fresh processes, of which the one in the
middle counts. Before any timing what comes out of ours is compared with theirs.
"""

from collections.abc import Iterator

import torch

from benchmarks.harness import compare, run_parts
from benchmarks.lines import Comparison
from benchmarks.sizes import BERT_BASE
from clearformer.inference import prepare
from clearformer.models import BertConfig
from clearformer.training import IGNORE_INDEX, mask_tokens
from linebyline.parity.peers import bert_pair

NOTE = "BERT-base with the same random weights on both sides, 8 sequences of 128 tokens, two threads, no gradients."


@torch.inference_mode()
def forward(config: BertConfig, rounds: int, B: int = 8, T: int = 128) -> Iterator[Comparison]:
    """All states of some sequences without padding."""
    ours, theirs, _ = bert_pair(config)
    ours = prepare(ours)
    ids = torch.randint(config.vocab_size, (B, T), generator=torch.Generator().manual_seed(1))
    torch.testing.assert_close(ours(ids), theirs(ids).last_hidden_state, rtol=1e-3, atol=1e-3)
    work = f"forward pass, BERT-base, {B} x {T}"
    yield compare(work, "BertModel", lambda: ours(ids), lambda: theirs(ids), rounds=rounds, target=1.0)


@torch.inference_mode()
def fill(config: BertConfig, rounds: int, B: int = 8, T: int = 128) -> Iterator[Comparison]:
    """The likeliest token for each hidden one, 15 in 100; we read no other state, they read all."""
    ours, theirs, _ = bert_pair(config, "BertForMaskedLM")
    ours = prepare(ours)
    generator = torch.Generator().manual_seed(1)
    ids = torch.randint(5, config.vocab_size, (B, T), generator=generator)
    ids, targets = mask_tokens(
        ids,
        config.vocab_size,
        special_ids=range(5),
        mask_id=4,
        generator=generator,
        mask_fraction=1.0,
        random_fraction=0.0,
    )
    hidden = targets != IGNORE_INDEX

    def filled_by_us() -> torch.Tensor:
        return ours.head(ours.hidden_states(ids)[hidden]).argmax(dim=-1)

    def filled_by_them() -> torch.Tensor:
        return theirs(ids).logits[hidden].argmax(dim=-1)

    assert (filled_by_us() == filled_by_them()).float().mean() > 0.99
    work = f"hidden tokens filled, BERT-base, {B} x {T}"
    yield compare(work, "BertForMaskedLM", filled_by_us, filled_by_them, rounds=rounds, target=1.0)


if __name__ == "__main__":
    parts = {"bert": lambda: forward(BERT_BASE, 15), "fill": lambda: fill(BERT_BASE, 15)}
    run_parts("encoder", parts, ["torch", "transformers"], NOTE)
