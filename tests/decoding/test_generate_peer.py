"""Against ``generate`` of transformers, with the same random weights, built here: token for token."""

import pytest
import torch
from transformers import GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM

from clearformer.decoding import beam_search, greedy_search, pipeline

VOCAB, NEW, N_BEAMS = 23, 12, 4
PROMPTS = torch.tensor([[3, 1, 4, 1, 5], [9, 2, 6, 5, 3], [5, 8, 9, 7, 9]])
STOPS = [(), (7,), (2, 11, 19)]


@pytest.fixture(scope="module", params=["gpt2", "llama"])
def model(request) -> torch.nn.Module:
    """A small model, with weights far enough from 0 that its answers are decided."""
    sizes = {"vocab_size": VOCAB, "initializer_range": 0.6, "bos_token_id": None, "eos_token_id": None}
    with torch.random.fork_rng():
        torch.manual_seed(5)
        if request.param == "gpt2":
            return GPT2LMHeadModel(GPT2Config(n_positions=64, n_embd=24, n_layer=2, n_head=3, **sizes)).eval()
        shape = {"hidden_size": 24, "intermediate_size": 40, "num_hidden_layers": 2, "num_attention_heads": 6}
        return LlamaForCausalLM(LlamaConfig(num_key_value_heads=2, **shape, **sizes)).eval()


def generate(model, prompts: torch.Tensor, stops=(), **options):
    """What transformers adds to the prompts, and the scores of beams."""
    options |= {"do_sample": False, "return_dict_in_generate": True, "output_scores": True, "max_new_tokens": NEW}
    ends = {"eos_token_id": list(stops)} if stops else {}
    found = model.generate(prompts, attention_mask=torch.ones_like(prompts), pad_token_id=0, **ends, **options)
    return [up_to_stop(row, stops) for row in found.sequences[:, prompts.shape[1] :].tolist()], found


def up_to_stop(tokens: list[int], stops) -> list[int]:
    """Cut what pads a row after its stop token."""
    ends = [t + 1 for t, token in enumerate(tokens) if token in stops]
    return tokens[: min(ends, default=len(tokens))]


def last_logits(model):
    return lambda ids: model(ids).logits[:, -1]


@pytest.mark.parametrize("stops", STOPS)
def test_greedy_search(model, stops) -> None:
    expected, _ = generate(model, PROMPTS, stops)
    assert greedy_search(last_logits(model), PROMPTS, NEW, stop_ids=stops) == expected
    assert len({tuple(row) for row in expected}) > 1


def test_greedy_search_with_repetition_penalty(model) -> None:
    expected, _ = generate(model, PROMPTS, repetition_penalty=1.7)
    assert greedy_search(last_logits(model), PROMPTS, NEW, processor=pipeline(repetition=1.7)) == expected
    assert greedy_search(last_logits(model), PROMPTS, NEW) != expected


@pytest.mark.parametrize("length_penalty", [-1.0, 0.0, 1.0, 2.0])
@pytest.mark.parametrize("stops", STOPS)
@pytest.mark.parametrize("prompt", PROMPTS.tolist())
def test_beam_search(model, prompt, stops, length_penalty: float) -> None:
    options = {"num_beams": N_BEAMS, "num_return_sequences": N_BEAMS, "length_penalty": length_penalty}
    ours = beam_search(last_logits(model), prompt, NEW, n_beams=N_BEAMS, length_penalty=length_penalty, stop_ids=stops)
    expected, found = generate(model, torch.tensor([prompt]), stops, early_stopping="never", **options)
    assert [tokens for tokens, _ in ours] == expected
    torch.testing.assert_close(torch.tensor([score for _, score in ours]), found.sequences_scores, rtol=1e-5, atol=1e-5)
    if length_penalty <= 0 or not stops:  # There its default gives up no beam that could win.
        assert generate(model, torch.tensor([prompt]), stops, early_stopping=False, **options)[0] == expected
