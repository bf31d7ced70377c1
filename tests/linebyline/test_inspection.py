"""Looks into models: each number by another way, on every kind of model."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from clearformer.models import BertConfig, GPT2Config, bert, gpt2
from clearformer.nn import MultiHeadAttention, attention_maps
from clearformer.tokenizers import CharacterTokenizer
from linebyline import inspection, pretrained, published

TEXT = "translate English to Swedish : Dan loves ice cream ."


@pytest.fixture(scope="module")
def subjects(tmp_path_factory):
    """A subject of each kind."""
    folder = tmp_path_factory.mktemp("published")
    for kind in published.KINDS:
        published.write(kind, folder / kind)
    return {kind: inspection.load(folder / kind, TEXT) for kind in published.KINDS}


@pytest.fixture(scope="module")
def kept():
    return pretrained.language_model()


def small(seed=0):
    return gpt2(GPT2Config(11, 32, 8, 2, 3, 32), torch.Generator().manual_seed(seed)).eval()


@pytest.mark.parametrize("kind", published.KINDS)
def test_predictions_equal_those_of_the_model_run_token_by_token(subjects, kind):
    s = subjects[kind]
    log_p, T = s.log_probabilities(), len(s.ids)
    torch.testing.assert_close(log_p.exp().sum(dim=1), torch.ones(T))
    for t in range(T):
        if kind in ("BERT", "RoBERTa"):
            hidden = s.ids.clone()
            hidden[t] = s.tokenizer.special_tokens["[MASK]" if kind == "BERT" else "<mask>"]
            logits = s.model(hidden)[t]
        else:
            before = s.ids[: t + 1]
            logits = (s.model(s.source, before) if kind == "T5" else s.model(before))[-1]
        torch.testing.assert_close(log_p[t], logits.log_softmax(-1), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kind", published.KINDS)
def test_surprise_is_that_of_the_tokens_of_the_text(subjects, kind):
    s = subjects[kind]
    losses, log_p = inspection.surprise(s), s.log_probabilities()
    # An encoder's frame was never hidden in training; no decoder predicts its first token.
    places, before = (range(1, len(s.ids) - 1), 0) if kind in ("BERT", "RoBERTa") else (range(1, len(s.ids)), 1)
    assert s.target_positions.tolist() == list(places)
    expected = [-log_p[t - before, s.ids[t]].item() for t in places]
    np.testing.assert_allclose(losses, expected)


@pytest.mark.parametrize("kind", ["GPT-2", "BERT"])
def test_a_text_without_a_token_to_predict_is_refused(subjects, kind):
    s = replace(subjects[kind], ids=subjects[kind].ids[:1])
    with pytest.raises(ValueError, match="predicts none of the 1 tokens: a longer text is needed"):
        inspection.surprise(s)


@pytest.mark.parametrize("kind", published.KINDS)
def test_the_lens_ends_with_the_prediction_and_begins_with_the_embeddings(subjects, kind):
    s = subjects[kind]
    lens = inspection.logit_lens(s)
    assert lens.shape == (len(s.stack.blocks) + 1, len(s.ids), len(s.table))
    torch.testing.assert_close(lens[-1], s.log_probabilities())
    if kind in ("GPT-2", "Llama"):
        read = s.model.lm_head(s.model.norm(s.model.embedding(s.ids)))
        torch.testing.assert_close(lens[0], read.log_softmax(-1), rtol=1e-4, atol=1e-4)


def test_states_of_the_lens_are_those_between_the_blocks():
    model, states = small(), []
    ids = torch.tensor([3, 1, 4, 1, 5])
    for block in model.blocks:
        block.norm_attention.register_forward_pre_hook(lambda _, x: states.append(x[0]))
    model(ids)
    s = inspection.Subject(model, CharacterTokenizer.train("abcdefghij"), ids)
    for norm in (block.norm_attention for block in model.blocks):
        norm._forward_pre_hooks.clear()
    for n, x in enumerate(states):
        expected = model.lm_head(model.norm(x)).log_softmax(-1)
        torch.testing.assert_close(inspection.logit_lens(s)[n], expected.reshape(5, 11))


def test_a_model_cut_to_no_more_blocks_than_it_has(subjects):
    model = subjects["T5"].model
    assert len(inspection.truncated(model, 1).decoder.blocks) == 1 and len(model.decoder.blocks) == 2
    with pytest.raises(ValueError, match="n_layers=4 must lie between 0 and the model's 3"):
        inspection.truncated(small(), 4)


@pytest.mark.parametrize("kind", published.KINDS)
def test_attention_is_of_each_layer_and_adds_up(subjects, kind):
    s = subjects[kind]
    maps = s.attention()
    assert len(maps) == (6 if kind == "T5" else len(s.model.blocks))
    for weights in maps.values():
        torch.testing.assert_close(weights.sum(dim=-1), torch.ones(weights.shape[:-1]))


def test_a_model_that_predicts_no_tokens_says_why(subjects):
    bare = inspection.Subject(bert(BertConfig(2048, 64, 8, 2, 1, 16)), subjects["BERT"].tokenizer, torch.tensor([7]))
    assert bare.unsupported == "its Identity scores no tokens"
    no_mask = inspection.Subject(subjects["BERT"].model, CharacterTokenizer.train("ab"), torch.tensor([1]))
    assert no_mask.unsupported == "its tokenizer has no token that hides another"
    with pytest.raises(ValueError, match="this Encoder predicts no tokens: its Identity scores no tokens"):
        bare.log_probabilities()


def test_a_subject_needs_tokens_and_a_source_where_there_is_one(subjects):
    with pytest.raises(ValueError, match="the text has no tokens"):
        inspection.Subject(small(), CharacterTokenizer.train("ab"), torch.tensor([], dtype=torch.int64))
    t5 = subjects["T5"]
    with pytest.raises(ValueError, match="an encoder-decoder needs a source"):
        inspection.Subject(t5.model, t5.tokenizer, t5.ids)
    with pytest.raises(ValueError, match="no other model takes one"):
        inspection.Subject(small(), t5.tokenizer, t5.ids, t5.ids)


def test_a_text_is_cut_to_the_places_of_the_model(tmp_path):
    published.write("GPT-2", tmp_path)
    long = "the sum of " * 60
    assert len(inspection.load(tmp_path, long, n=100).ids) == 64 == inspection.max_positions(small()) * 2
    assert len(inspection.load(tmp_path, long, n=7).ids) == 7


def test_a_score_is_the_weight_of_the_token_after_the_last_occurrence():
    model, ids = small(), torch.tensor([[3, 1, 4, 3, 1, 4], [2, 7, 1, 2, 7, 1]])
    scores = inspection.induction_scores(model, ids)
    maps = attention_maps(model, ids).values()
    # Token t of the second copy, 3, 4, 5, looks for the one after its first copy: 1, 2, 3.
    for n, weights in enumerate(maps):
        expected = [weights[:, h, [3, 4, 5], [1, 2, 3]].mean().item() for h in range(2)]
        np.testing.assert_allclose(scores[n], expected, rtol=1e-5)


def test_losses_of_two_copies_leave_their_first_tokens_out():
    model, ids = small(), torch.tensor([[3, 1, 4, 3, 1, 4]])
    with torch.no_grad():
        p = model(ids)[0].log_softmax(-1)
    first, second = inspection.loss_by_copy(model, ids)
    assert first == pytest.approx(-(p[0, 1] + p[1, 4]).item() / 2, rel=1e-5)
    assert second == pytest.approx(-(p[3, 1] + p[4, 4]).item() / 2, rel=1e-5)


@pytest.mark.parametrize("ids", [[[1, 2, 3]], [[1, 1]], [[1, 2, 1, 3]]])
@pytest.mark.parametrize("look", [inspection.induction_scores, inspection.loss_by_copy])
def test_other_sequences_than_two_copies_are_refused(ids, look):
    with pytest.raises(ValueError, match="tokens of a row must be two copies of at least 2"):
        look(small(), torch.tensor(ids))


def test_the_language_model_has_a_head_that_finds_what_followed_and_needs_it(kept):
    ids = inspection.two_copies(1024, 25, 16, torch.Generator().manual_seed(1))
    scores = inspection.induction_scores(kept.model, ids)
    layer, head = divmod(int(scores.argmax()), 4)
    assert scores.max() > 0.25
    first, second = inspection.loss_by_copy(kept.model, ids)
    assert second < first - 0.8
    with inspection.without_head(kept.model.blocks[layer].attention, head):
        without, lost = inspection.loss_by_copy(kept.model, ids)
    assert lost > without - 0.3
    assert inspection.loss_by_copy(kept.model, ids) == (first, second)  # and it speaks again
    other = inspection.shuffled(kept.model, torch.Generator().manual_seed(0))
    assert inspection.induction_scores(other, ids).max() < 0.1
    back = [w.diagonal(-1, -2, -1).mean(-1).max() for w in attention_maps(other, ids).values()]
    assert max(back) < 0.2  # 0.9 in the model, and 0.7 if biases keep their order


def test_a_silenced_head_adds_nothing_even_if_an_error_ends_it():
    attention = MultiHeadAttention(6, 3, bias=True, generator=torch.Generator().manual_seed(0))
    x, before = torch.randn(5, 6), attention.w_o.detach().clone()
    parts = attention(x) - attention.b_o
    with inspection.without_head(attention, 0):
        rest = attention(x) - attention.b_o
    alone = torch.zeros_like(before)
    alone[:2] = before[:2]
    attention.w_o.data.copy_(alone)
    torch.testing.assert_close(attention(x) - attention.b_o + rest, parts)
    with pytest.raises(RuntimeError, match="within"), inspection.without_head(attention, 0):
        raise RuntimeError("within")
    assert torch.equal(attention.w_o, alone)
    with pytest.raises(ValueError, match="head=3 must lie between 0 and 2"), inspection.without_head(attention, 3):
        pass


def test_shuffling_keeps_the_numbers_and_the_model():
    model = small()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn(parameter.shape, generator=torch.Generator().manual_seed(0)))
    before = {name: p.detach().clone() for name, p in model.named_parameters()}
    other = inspection.shuffled(model, torch.Generator().manual_seed(0))
    for name, parameter in other.named_parameters():
        assert torch.equal(parameter.flatten().sort().values, before[name].flatten().sort().values)
        assert not torch.equal(parameter, before[name])
    assert all(torch.equal(p, before[name]) for name, p in model.named_parameters())
    ids = torch.tensor([[1, 2, 3]])
    assert not math.isclose(other(ids).sum().item(), model(ids).sum().item(), rel_tol=1e-3)
