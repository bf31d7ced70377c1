"""The recurrent translators: padding, attention equal to the equation, one step at a time, learning, refusals."""

import pytest
import torch
from torch import Tensor, nn

from clearformer import functional as F
from clearformer.decoding import greedy_search
from clearformer.training import Trainer, cross_entropy, warmup_cosine
from linebyline.recurrent import AttentiveTranslator, RecurrentTranslator

VOCAB_SIZE, D_MODEL, START, PAD = 11, 6, 0, -1
SOURCE = torch.tensor([[2, 7, 1, 8, 2], [8, 1, 8, 0, 0], [3, 0, 0, 0, 0]])
THERE = torch.arange(5) < torch.tensor([[5], [3], [1]])
TARGET = torch.tensor([[0, 1, 4, 1, 5, 9, 2], [0, 5, 3, 5, 8, 9, 7], [0, 2, 7, 1, 8, 2, 8]])
each_kind = pytest.mark.parametrize("kind", [RecurrentTranslator, AttentiveTranslator])


def translator(kind: type[RecurrentTranslator]) -> RecurrentTranslator:
    """In float64, with biases that are not 0 and weights large enough to see something."""
    generator = torch.Generator().manual_seed(0)
    model = kind(VOCAB_SIZE, D_MODEL, generator=generator).double()
    for parameter in model.parameters():
        parameter.data = torch.randn(parameter.shape, generator=generator, dtype=torch.float64)
    return model


def close(got: Tensor, expected: Tensor) -> None:
    torch.testing.assert_close(got, expected, rtol=1e-10, atol=1e-12)


@each_kind
def test_padding_changes_nothing(kind: type[RecurrentTranslator]) -> None:
    model = translator(kind)
    logits = model(SOURCE, TARGET, mask=THERE)
    close(model(torch.where(THERE, SOURCE, 5), TARGET, mask=THERE), logits)
    for row, length in enumerate((5, 3, 1)):
        close(model(SOURCE[row : row + 1, :length], TARGET[row : row + 1])[0], logits[row])
    wider = nn.functional.pad(SOURCE, (0, 2)), nn.functional.pad(THERE, (0, 2))
    close(model(wider[0], TARGET, mask=wider[1]), logits)
    assert (model(SOURCE, TARGET) - logits).abs().max() > 1e-3  # as tokens they count


@each_kind
def test_every_token_of_a_source_counts_and_a_target_looks_back_only(kind: type[RecurrentTranslator]) -> None:
    model = translator(kind)
    logits = model(SOURCE, TARGET, mask=THERE)
    for place in range(5):
        other = SOURCE.clone()
        other[0, place] = 9
        moved = (model(other, TARGET, mask=THERE) - logits).abs().amax(dim=(1, 2))
        assert moved[0] > 1e-4
        assert (moved[1:] < 1e-12).all()
    later = TARGET.clone()
    later[:, 4] = 10
    moved = (model(SOURCE, later, mask=THERE) - logits).abs().amax(dim=(0, 2))
    assert (moved[:4] < 1e-12).all()
    assert (moved[4:] > 1e-4).all()


@each_kind
def test_steps_give_what_a_target_known_from_the_start_gives(kind: type[RecurrentTranslator]) -> None:
    model = translator(kind)
    expected, sources = model(SOURCE, TARGET, mask=THERE), model.encode(SOURCE, THERE)
    state, next_logits = sources.start, model.next_logits(sources)
    for t in range(7):
        logits, state = model.step(TARGET[:, t], state, sources)
        close(logits, expected[:, t])
        close(next_logits(TARGET[:, : t + 1]), expected[:, t])


@each_kind
def test_a_padded_batch_is_decoded_as_each_source_alone(kind: type[RecurrentTranslator]) -> None:
    model = translator(kind)
    together = greedy_search(model.next_logits(model.encode(SOURCE, THERE)), [[START]] * 3, 7)
    for row, length in enumerate((5, 3, 1)):
        ids, so_far = SOURCE[row : row + 1, :length], [START]
        (alone,) = greedy_search(model.next_logits(model.encode(ids)), [[START]], 7)
        for _ in range(7):
            so_far.append(int(model(ids, torch.tensor([so_far]))[0, -1].argmax()))
        assert together[row] == alone == so_far[1:]


def test_without_attention_the_source_is_one_vector() -> None:
    """The last state of each direction: the first half at the last token, the second half at the first."""
    model = translator(RecurrentTranslator)
    sources = model.encode(SOURCE, THERE)
    for row, last in enumerate((4, 2, 0)):
        close(sources.summary[row, :D_MODEL], sources.states[row, last, :D_MODEL])
        close(sources.summary[row, D_MODEL:], sources.states[row, 0, D_MODEL:])
    close(sources.start, (sources.summary @ model.start.w + model.start.b).tanh())
    blank = sources._replace(states=torch.zeros_like(sources.states), keys=torch.zeros_like(sources.keys))
    step = model.step(TARGET[:, 0], sources.start, sources)
    close(model.step(TARGET[:, 0], sources.start, blank)[0], step[0])


def test_attention_equals_the_equation_in_numpy() -> None:
    model = translator(AttentiveTranslator)
    logits, weights = model.with_weights(SOURCE, TARGET, mask=THERE)
    close(logits, model(SOURCE, TARGET, mask=THERE))
    sources = model.encode(SOURCE, THERE)
    matrices = [each.detach().numpy() for each in (model.queries.w, model.compared.w, model.score.w[:, 0])]
    values = sources.states.detach().numpy()
    state = sources.start
    for t in range(7):
        query = state[:, None].detach().numpy()
        seen, expected = F.additive_attention(query, values, values, *matrices, THERE[:, None].numpy())
        close(weights[:, t].detach(), torch.from_numpy(expected[:, 0]))
        close(model.context(state, sources).detach(), torch.from_numpy(seen[:, 0]))
        _, state = model.step(TARGET[:, t], state, sources)


@each_kind
def test_the_start_comes_from_the_generator_alone(kind: type[RecurrentTranslator]) -> None:
    before = torch.get_rng_state()
    one, same = (kind(VOCAB_SIZE, D_MODEL, generator=torch.Generator().manual_seed(3)) for _ in range(2))
    assert torch.equal(torch.get_rng_state(), before)
    for (name, mine), other in zip(one.named_parameters(), same.parameters(), strict=True):
        assert torch.equal(mine, other), name
        assert mine.isfinite().all()
    assert [name for name, _ in one.named_parameters() if "table" in name] == ["embedding.table"]


def reversing(generator: torch.Generator) -> tuple[Tensor, ...]:
    """Sources of 2 to 5 of the tokens 1 to 7, their mask, and the same backwards with what stands before each."""
    lengths = torch.randint(2, 6, (32, 1), generator=generator)
    ids, there = torch.randint(1, 8, (32, 5), generator=generator), torch.arange(5) < lengths
    backwards = ids.gather(1, (lengths - 1 - torch.arange(5)).clamp(min=0))
    inputs = nn.functional.pad(backwards[:, :-1], (1, 0), value=START)
    return ids, there, inputs, torch.where(there, backwards, PAD)


def loss(model: nn.Module, batch: tuple[Tensor, ...]) -> Tensor:
    ids, there, inputs, targets = batch
    return cross_entropy(model(ids, inputs, mask=there), targets, ignore_index=PAD)


@each_kind
def test_they_learn_to_write_five_tokens_backwards(kind: type[RecurrentTranslator]) -> None:
    """From the loss of who guesses among eight tokens, log 8 = 2.08, to nearly none."""
    generator = torch.Generator().manual_seed(0)
    model = kind(8, 32, generator=generator)
    trainer = Trainer(model, reversing, warmup_cosine(0.01, 10, 300), generator=generator, loss=loss)
    losses = trainer.run(300)
    assert losses[0] > 1.8
    assert sum(losses[-20:]) / 20 < 0.1
