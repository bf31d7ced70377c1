"""Text to text: equal to a search that computes every step from scratch, and what is refused."""

import pytest
import torch

from clearformer import generate, load
from clearformer.decoding import greedy_search, pipeline, sample, sampler
from clearformer.inference import prepare
from clearformer.models import BertConfig, GPT2Config, T5Config, bert, gpt2, t5
from clearformer.tokenizers import CharacterTokenizer
from tests.checkpoints import folders

TOKENIZER = CharacterTokenizer.train("abcdefghij .")
V = TOKENIZER.vocab_size


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@pytest.fixture
def decoder():
    return gpt2(GPT2Config(V, context=16, d_model=8, n_heads=2, n_layers=2, d_ff=32, dropout=0.5), generator()).train()


def test_decoder_continues_a_text_with_greedy_search_or_a_sampler(decoder) -> None:
    new = generate(decoder, TOKENIZER, "bad cab", max_new_tokens=7)
    assert decoder.training
    decoder.eval()
    ids = [TOKENIZER.encode("bad cab")]
    last = lambda ids: decoder(ids)[:, -1]  # noqa: E731
    assert new == TOKENIZER.decode(greedy_search(last, ids, 7)[0])
    options = {"generator": generator(3), "processor": pipeline(tau=3.0, k=5)}
    drawn = generate(decoder, TOKENIZER, "bad cab", max_new_tokens=7, sampler=sampler(**options))
    assert drawn == TOKENIZER.decode(sample(last, ids, 7, **options | {"generator": generator(3)})[0]) != new


def test_stop_token_ends_the_text_and_is_left_out(decoder) -> None:
    new = generate(decoder, TOKENIZER, "bad", max_new_tokens=7)
    stop = TOKENIZER.encode(new)[3]
    assert generate(decoder, TOKENIZER, "bad", max_new_tokens=7, stop_ids=[stop]) == new[: new.index(new[3])]


def test_the_text_ends_where_the_context_ends(decoder) -> None:
    prompt = "bad cab"
    whole = generate(decoder, TOKENIZER, prompt, max_new_tokens=50)  # the last of 17 tokens is never read
    assert len(whole) == 16 + 1 - len(prompt)
    assert generate(decoder, TOKENIZER, prompt, max_new_tokens=4) == whole[:4]
    with pytest.raises(ValueError, match="the prompt has 17 tokens, and the context of the model is 16"):
        generate(decoder, TOKENIZER, 17 * "a", max_new_tokens=1)


def test_the_fast_copy_writes_the_same(decoder) -> None:
    text = generate(decoder, TOKENIZER, "bad cab", max_new_tokens=7)
    assert generate(prepare(decoder), TOKENIZER, "bad cab", max_new_tokens=7) == text


def test_encoder_decoder_writes_from_a_source() -> None:
    model = t5(T5Config(vocab_size=V, d_model=8, d_k=4, n_heads=2, n_layers=2, d_ff=16), generator()).eval()
    source = torch.tensor([TOKENIZER.encode("bad cab")])
    (expected,) = greedy_search(lambda ids: model(source, ids)[:, -1], [[1]], 6)
    assert generate(model, TOKENIZER, "bad cab", max_new_tokens=6, start_id=1) == TOKENIZER.decode(expected)


def test_published_models_write_what_their_library_does(tmp_path) -> None:
    """GPT-2 continues the prompt; T5 begins with its padding token, and reads the source with an end token."""
    for name in ("gpt2", "t5"):
        folder = tmp_path / name
        peer = folders.written(folder, name)
        model, tokenizer = load(folder)
        ids = torch.tensor([tokenizer.encode("The class", add_special=True)])
        options = {"do_sample": False, "max_new_tokens": 5, "min_new_tokens": 5, "eos_token_id": None}
        expected = peer.generate(ids, pad_token_id=0, **options)[0, 1 if name == "t5" else ids.shape[1] :]
        assert generate(model, tokenizer, "The class", max_new_tokens=5) == tokenizer.decode(expected.tolist())


def test_refusals(decoder) -> None:
    with pytest.raises(ValueError, match="text='' has no tokens, and at least 1 is needed"):
        generate(decoder, TOKENIZER, "", max_new_tokens=3)
    with pytest.raises(ValueError, match="the logits after 1 tokens hold NaN"), torch.no_grad():
        decoder.norm.gamma.fill_(torch.nan)
        generate(decoder, TOKENIZER, "a", max_new_tokens=3)
    with pytest.raises(ValueError, match="max_new_tokens=0 must be at least 1"):
        generate(decoder, TOKENIZER, "a", max_new_tokens=0)
    encoder = bert(BertConfig(V, context=16, d_model=8, n_heads=2, n_layers=1, d_ff=32), generator())
    with pytest.raises(TypeError, match="model must be a Decoder or an EncoderDecoder, got Encoder"):
        generate(encoder, TOKENIZER, "a", max_new_tokens=3)
