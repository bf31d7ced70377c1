"""Named models that write, with a cache: token for token what ``transformers`` writes with the same weights."""

import pytest
import torch
from torch import Tensor

from clearformer.decoding import beam_search, greedy_search
from clearformer.inference import prepare
from clearformer.models import CachedDecoder, GPT2Config, LlamaConfig, RotaryScaling, T5Config
from linebyline.parity import peers

NEW, STOP = 9, 7
SIZES = {"vocab_size": 23, "context": 32, "d_model": 12, "n_heads": 3, "n_layers": 2, "d_ff": 20}
T5_SIZES = {"vocab_size": 23, "d_model": 12, "n_heads": 3, "d_k": 5, "n_layers": 2, "d_ff": 20}
LLAMA_3 = RotaryScaling(8.0, low=1.0, high=4.0, context=8)
DECODERS = {
    "GPT-2": lambda: peers.gpt2_pair(GPT2Config(**SIZES)),
    "Llama": lambda: peers.llama_pair(LlamaConfig(**SIZES, n_kv_heads=1)),
    "Llama 3": lambda: peers.llama_pair(LlamaConfig(**SIZES, n_kv_heads=3, d_k=6, scaling=LLAMA_3, tied=True)),
}
T5S = {
    "T5": lambda: peers.t5_pair(T5Config(**T5_SIZES)),
    "T5 1.1": lambda: peers.t5_pair(T5Config(**T5_SIZES, gated=True, tied=False, activation="gelu_tanh")),
}
PROMPTS = torch.tensor([[3, 1, 4, 1, 5], [9, 2, 6, 5, 3], [5, 8, 9, 10, 9]])
SOURCES = torch.tensor([[2, 8, 1, 8, 2, 8], [3, 1, 4, 0, 0, 0], [14, 15, 9, 2, 6, 0]])
THERE = SOURCES > 0


@torch.no_grad()
def decided(pair: peers.Pair) -> peers.Pair:
    """The pair with larger layers, above all towards the source, so that what is written hangs on the prompt."""
    for name, parameter in pair.theirs.named_parameters():
        if "ln_" in name and name.endswith("bias"):
            parameter.zero_()
        elif "EncDecAttention.o" in name:
            parameter.mul_(20)
        elif parameter.ndim == 2 and not any(part in name for part in ("relative", "shared", "embed", "wte", "wpe")):
            parameter.mul_(3)
    return peers.in_float64(pair)


def written(model, inputs: Tensor, there: Tensor, first: int, **options) -> list[list[int]]:
    """What theirs adds to the first tokens of each row, up to its stop."""
    ends = {"eos_token_id": STOP, "pad_token_id": 0, "max_new_tokens": NEW, "do_sample": False}
    rows = model.generate(inputs, attention_mask=there.long(), **ends, **options)[:, first:].tolist()
    return [row[: row.index(STOP) + 1] if STOP in row else row for row in rows]


BEAMS = {"num_beams": 4, "num_return_sequences": 4, "early_stopping": "never"}


each_way = pytest.mark.parametrize("way", [lambda model: model, prepare], ids=["plain", "prepared"])


@each_way
@pytest.mark.parametrize("make", DECODERS.values(), ids=DECODERS)
def test_decoders_write_the_same(make, way) -> None:
    ours, theirs, _ = decided(make())
    ours = way(ours)
    seen = torch.ones_like(PROMPTS)
    expected = written(theirs, PROMPTS, seen, PROMPTS.shape[1])
    assert greedy_search(CachedDecoder(ours), PROMPTS, NEW, stop_ids=[STOP]) == expected
    assert len({tuple(row) for row in expected}) > 1
    found = written(theirs, PROMPTS, seen, PROMPTS.shape[1], **BEAMS)
    for number, prompt in enumerate(PROMPTS):
        best = beam_search(CachedDecoder(ours), prompt, NEW, n_beams=4, stop_ids=[STOP])
        assert [tokens for tokens, _ in best] == found[4 * number : 4 * number + 4]


@each_way
@pytest.mark.parametrize("make", T5S.values(), ids=T5S)
def test_sources_of_unequal_length_are_written_from_alike(make, way) -> None:
    ours, theirs, _ = decided(make())
    ours = way(ours)
    memory, start = ours.encode(SOURCES, THERE), [[0]] * len(SOURCES)
    expected = written(theirs, SOURCES, THERE, 1)
    assert greedy_search(CachedDecoder(ours.decoder, memory), start, NEW, stop_ids=[STOP]) == expected
    assert len({tuple(row) for row in expected}) > 1
    found = written(theirs, SOURCES, THERE, 1, **BEAMS)
    for number in range(len(SOURCES)):
        next_logits = CachedDecoder(ours.decoder, memory.reorder(torch.tensor([number])))
        best = beam_search(next_logits, [0], NEW, n_beams=4, stop_ids=[STOP])
        assert [tokens for tokens, _ in best] == found[4 * number : 4 * number + 4]


def test_what_is_written_hangs_on_the_source_and_on_what_is_padding() -> None:
    ours = decided(T5S["T5"]()).ours
    start = [[0]] * len(SOURCES)
    with_mask, without = (
        greedy_search(CachedDecoder(ours.decoder, ours.encode(SOURCES, mask)), start, NEW) for mask in (THERE, None)
    )
    assert with_mask[0] == without[0]
    assert with_mask[1:] != without[1:]
