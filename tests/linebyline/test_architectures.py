"""Three wirings: what each asks and may see, equal sizes, and what is recorded."""

import json

import pytest
import torch

from linebyline import architectures
from linebyline import translation as tr
from linebyline.corpora import ENGLISH_SWEDISH
from linebyline.kept_models import WEIGHTS

WORDS = tr.Words.of([ENGLISH_SWEDISH])
PAIRS = tr.sentences(ENGLISH_SWEDISH, 12, 0).train
KINDS = {
    "encoder-only": architectures.encoder_only(2, 16, 24),
    "decoder-only": architectures.decoder_only(2, 16, 24),
    "encoder-decoder": architectures.encoder_decoder(1, 16, 24),
}


def made(name: str) -> torch.nn.Module:
    return KINDS[name].make(len(WORDS), torch.Generator().manual_seed(0)).eval()


@pytest.mark.parametrize("name", KINDS)
def test_each_asks_for_every_word_of_the_targets_and_their_ends(name: str) -> None:
    sources, targets = tr.rows(WORDS, ENGLISH_SWEDISH, PAIRS)
    logits, wanted = KINDS[name].logits_and_targets(made(name), sources, targets)
    assert logits.shape == (*wanted.shape, len(WORDS))
    for row, pair in zip(wanted, PAIRS, strict=True):
        assert WORDS.decode(row[row != tr.PAD].tolist()) == pair.target
        assert (row == tr.END).sum() == 1


@pytest.mark.parametrize("name", KINDS)
def test_neighbors_and_padding_change_nothing(name: str) -> None:
    wiring, model = KINDS[name], made(name)
    together = architectures.surprise(wiring, model, WORDS, PAIRS)
    alone = [(architectures.surprise(wiring, model, WORDS, [pair]), len(pair.target) + 1) for pair in PAIRS]
    assert together == pytest.approx(sum(s * n for s, n in alone) / sum(n for _, n in alone), rel=1e-4)
    start = WORDS.start(ENGLISH_SWEDISH)
    sources, _ = tr.rows(WORDS, ENGLISH_SWEDISH, PAIRS)
    one_by_one = [wiring.write(model, row[row != tr.PAD][None], start)[0] for row in sources]
    assert wiring.write(model, sources, start) == one_by_one


@pytest.mark.parametrize(("name", "sees"), [("encoder-only", 0), ("decoder-only", 1), ("encoder-decoder", 1)])
def test_who_sees_the_words_before(name: str, sees: int) -> None:
    sources, targets = tr.rows(WORDS, ENGLISH_SWEDISH, PAIRS[:1])
    changed = targets.clone()
    changed[0, 1] = targets[0, 2]
    (one, wanted), (other, _) = (KINDS[name].logits_and_targets(made(name), sources, t) for t in (targets, changed))
    first = int((wanted[0] != tr.PAD).nonzero()[0])
    assert torch.allclose(one[0, first], other[0, first], atol=1e-5)
    assert torch.allclose(one[0, first + 1], other[0, first + 1], atol=1e-5) != sees


def test_what_is_compared_has_as_many_weights() -> None:
    counts = {
        name: architectures.weights(wiring.make(len(WORDS), torch.Generator().manual_seed(0)))
        for name, wiring in architectures.ARCHITECTURES.items()
    }
    assert max(counts.values()) < 1.01 * min(counts.values())


def test_a_short_training_learns() -> None:
    wiring = KINDS["encoder-decoder"]
    losses = architectures.trainer(wiring, WORDS, PAIRS, 0, steps=150, batch=8).run(150)
    assert sum(losses[-5:]) / 5 < 0.7 * losses[0]


def test_what_is_shown_is_what_the_command_makes() -> None:
    content = json.loads((WEIGHTS / "wirings.json").read_text(encoding="utf-8"))
    assert (content["steps"], content["batch"], content["longest"]) == (
        architectures.STEPS,
        architectures.BATCH,
        architectures.LONGEST_SOURCE,
    )
    assert tuple(content["marks"]) == architectures.MARKS
    assert set(content["results"]) == set(architectures.ARCHITECTURES)
    for of_one in content["results"].values():
        assert [len(seed["surprise"]) for seed in of_one["seeds"]] == [1, 1, 1]
        assert len(of_one["longer"]["surprise"]) == len(architectures.MARKS)
