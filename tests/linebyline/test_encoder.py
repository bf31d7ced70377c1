"""The experiments on the encoder: what they draw, what they read, and what their command has written."""

import json
import random

import numpy as np
import pytest
import torch

from linebyline import corpora
from linebyline import masked_language_model as mlm
from linebyline.corpora import ROLES, words_and_roles
from linebyline.encoder import features, few_labels, practice, roles, who_uses
from linebyline.kept_models import WEIGHTS
from linebyline.training_run import Record

RECIPE = mlm.Recipe(vocab_size=400, context=64, d_model=16, n_heads=2, n_layers=1, d_ff=32)


@pytest.fixture(scope="module")
def trained() -> mlm.MaskedLanguageModel:
    tokenizer = mlm.tokenizer_of(corpora.docstrings_split()[0][:60_000], RECIPE.vocab_size)
    model = mlm.untrained(RECIPE.config(), torch.Generator().manual_seed(0)).eval()
    return mlm.MaskedLanguageModel(model, tokenizer, Record(RECIPE))


def test_what_was_measured_with_few_labels_holds() -> None:
    measured = json.loads((WEIGHTS / "encoder.json").read_text(encoding="utf-8"))["few_labels"]
    assert tuple(measured["sizes"]) == few_labels.SIZES
    assert measured["steps"] == [few_labels.steps_for(n) for n in few_labels.SIZES]
    assert set(measured["found"]) == {"pre-trained", "from scratch", "counting"}
    for by_size in measured["found"].values():
        assert [len(rates) for rates in by_size] == list(few_labels.SEEDS.values())
    ahead, behind = ([np.mean(rates) for rates in measured["found"][name]] for name in ("pre-trained", "from scratch"))
    assert np.all(np.array(ahead) > np.array(behind) + 0.03)


def test_what_was_counted_is_counted_again() -> None:
    measured = json.loads((WEIGHTS / "encoder.json").read_text(encoding="utf-8"))["few_labels"]
    kept, (known, judged) = mlm.masked_language_model(), few_labels.parted(corpora.docstrings_split())
    unseen = few_labels.sample(kept.tokenizer, judged, few_labels.UNSEEN, torch.Generator().manual_seed(0))
    for size, n in enumerate(few_labels.SIZES):
        labelled = few_labels.sample(kept.tokenizer, known, n, torch.Generator().manual_seed(1))
        found = few_labels.counting(labelled, unseen, kept.record.recipe.vocab_size)
        assert found == pytest.approx(measured["found"]["counting"][size][1], abs=0.01)


def test_a_copy_practices_and_the_model_stays_as_it_was(trained: mlm.MaskedLanguageModel, monkeypatch) -> None:
    monkeypatch.setattr(practice, "STEPS", 2)
    monkeypatch.setattr(practice, "WARMUP", 1)
    text, unseen = corpora.docstrings_split()
    before = [p.clone() for p in trained.model.parameters()]
    found = practice.compare(trained, (text[:20_000], unseen[:20_000]), [0])["found"]
    assert all(torch.equal(a, b) for a, b in zip(before, trained.model.parameters(), strict=True))
    assert len({found[name][0]["left"] for name in ("none", "left", "both")}) == 3


def test_lines_come_from_their_sections_once() -> None:
    notes, others = "Notes\n-----\nThis is a note here.\nThis is a note here.\nshort", "Raises\n------\na b c d"
    text = f"{notes}\n\nno heading is here at all\n\n{others}"
    assert few_labels.lines(text) == [[], [], ["This is a note here."], []]
    known, unseen = few_labels.parted((text, "Notes\n-----\nThis is a note here.\nAnother note is here.\n"))
    assert (known[2], unseen[2]) == (["This is a note here."], ["Another note is here."])


def test_labels_are_drawn_evenly(trained: mlm.MaskedLanguageModel) -> None:
    found = [[f"line {i} of section {s}" for i in range(9)] for s in "abcd"]
    drawn = few_labels.sample(trained.tokenizer, found, 10, torch.Generator().manual_seed(0))
    assert sorted(drawn.labels.bincount().tolist()) == [2, 2, 3, 3]
    assert (drawn.labels.diff() < 0).any()  # in any order
    assert len({tuple(row) for row in drawn.ids.tolist()}) == 10


def test_a_long_line_is_cut_and_stays_framed(trained: mlm.MaskedLanguageModel) -> None:
    drawn = few_labels.sample(trained.tokenizer, [["word " * 99]] * 4, 4, torch.Generator().manual_seed(0))
    assert drawn.ids.shape == (4, few_labels.LONGEST)
    assert (drawn.ids[:, 0] == mlm.CLS).all() and (drawn.ids[:, -1] == mlm.SEP).all()


def test_a_classifier_starts_from_what_was_learned_or_from_nothing(trained: mlm.MaskedLanguageModel) -> None:
    warm, cold = (few_labels.classifier(trained, 1, start=start) for start in (True, False))
    for name, parameter in trained.model.blocks.named_parameters():
        assert torch.equal(parameter, warm.blocks.get_parameter(name))
    assert not torch.equal(warm.embedding.table, cold.embedding.table)
    assert isinstance(trained.model.head, type(mlm.encoder(RECIPE.config()).head))  # it stays as it was


def test_padding_changes_no_loss(trained: mlm.MaskedLanguageModel) -> None:
    found = [["word " * n for n in (4, 9, 20)] for _ in few_labels.SECTIONS]
    ids, labels = few_labels.sample(trained.tokenizer, found, 8, torch.Generator().manual_seed(0))
    model = few_labels.classifier(trained, 0, start=True).eval()
    wider = torch.nn.functional.pad(ids, (0, 20), value=mlm.PAD)
    torch.testing.assert_close(few_labels.loss(model, (wider, labels)), few_labels.loss(model, (ids, labels)))


def test_a_classifier_learns_its_lines(trained: mlm.MaskedLanguageModel) -> None:
    found = [[f"{name} number {i}" for i in range(6)] for name in few_labels.SECTIONS]
    known = few_labels.sample(trained.tokenizer, found, 24, torch.Generator().manual_seed(0))
    model = few_labels.classifier(trained, 0, start=True)
    assert few_labels.right(model.eval(), known) < 0.6
    few_labels.trainer(model, known, 0).run(150)
    assert few_labels.right(model.eval(), known) > 0.9


def test_a_mean_leaves_padding_out() -> None:
    states = torch.tensor([[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [float("nan")] * 2]])
    mean = features.masked_mean(states, torch.tensor([[True, True], [True, False]]))
    assert mean.tolist() == [[2.0, 3.0], [5.0, 6.0]]


def test_fit_is_least_squares_where_nothing_pulls() -> None:
    generator = torch.Generator().manual_seed(0)
    x, labels = torch.randn(30, 4, generator=generator), torch.randint(3, (30,), generator=generator)
    ones, targets = features.with_one(x).numpy(), np.eye(3)[labels.numpy()]
    expected = np.linalg.lstsq(ones, targets, rcond=None)[0]
    np.testing.assert_allclose(features.fit(x, labels, 3, decay=0.0).numpy(), expected, atol=1e-10)
    pulled = features.fit(x, labels, 3, decay=1e9)
    np.testing.assert_allclose(pulled[:-1].numpy(), 0, atol=1e-6)
    np.testing.assert_allclose(pulled[-1].numpy(), targets.mean(axis=0), atol=1e-6)  # the bias is free


def test_a_probe_reads_what_is_there_and_nothing_else() -> None:
    generator = torch.Generator().manual_seed(0)
    labels = torch.randint(3, (400,), generator=generator)
    noise = torch.randn(400, 5, generator=generator)
    told = torch.cat([noise, 100 + 7 * torch.nn.functional.one_hot(labels, 3).float()], dim=1)
    assert features.probe((told[:200], labels[:200]), (told[200:], labels[200:]), 3) > 0.99
    assert features.probe((noise[:200], labels[:200]), (noise[200:], labels[200:]), 3) < 0.5
    weak = noise[:, :3] + torch.nn.functional.one_hot(labels, 3)
    shares = [
        features.probe((x[:200], labels[:200]), (x[200:], labels[200:]), 3) for x in (weak, 0.001 * weak + 1)
    ]  # in whatever units
    assert 0.5 < shares[0] < 0.95
    assert shares[0] == pytest.approx(shares[1], abs=0.011)


def test_roles_are_those_of_the_words() -> None:
    draw, seen = random.Random(1), set[str]()
    for _ in range(300):
        words, tags = words_and_roles(draw)
        assert len(words) == len(tags) and (words[-1], tags[-1]) == (".", "other")
        assert "subject" in tags and "verb" in tags
        for word, tag in zip(words, tags, strict=True):
            if word in {"with", "and", "but", "because", ","} and tag not in {"subject", "companion"}:
                assert tag == "other"
            if word in {"will", "does", "did", "is", "were"}:
                assert tag == "verb"
            if word in {"not", "never", "often", "always"}:
                assert tag == "adverb"
        seen |= set(tags)
    assert seen == set(ROLES)
    # One word in two roles, told apart by its place alone.
    words, tags = words_and_roles(random.Random(5))
    assert list(zip(words, tags, strict=True))[:2] == [("he", "subject"), ("ran", "verb")]


def test_words_are_found_again_in_their_rows(trained: mlm.MaskedLanguageModel) -> None:
    tagged, draw = roles.tagged(trained.tokenizer, 20, 0), random.Random(0)
    said = [pair for _ in range(20) for pair in zip(*words_and_roles(draw), strict=True)]
    assert [ROLES[role] for role in tagged.roles.tolist()] == [role for _, role in said]
    for (word, _), row, place in zip(said, tagged.rows.tolist(), tagged.places.tolist(), strict=True):
        assert tagged.ids[row, place] == trained.tokenizer.encode(word)[0]
    vectors = roles.word_vectors(trained, tagged)
    assert torch.equal(vectors["the state of [CLS]"][tagged.rows == 3].std(dim=0), torch.zeros(RECIPE.d_model))
    assert roles.commonest(torch.tensor([1, 1, 1, 0])) == 0.75


def test_what_is_read_of_a_word_is_what_its_sentence_alone_gives(trained: mlm.MaskedLanguageModel) -> None:
    tagged = roles.tagged(trained.tokenizer, 5, 0)
    vectors = roles.word_vectors(trained, tagged)
    for number, (row, place) in enumerate(zip(tagged.rows.tolist(), tagged.places.tolist(), strict=True)):
        ids = tagged.ids[row][tagged.ids[row] != mlm.PAD]
        with torch.no_grad():
            states = trained.model.hidden_states(ids)
        expected = (trained.model.embedding.table[ids[place]], states[place], states[0], states.mean(dim=0))
        for vector, value in zip(vectors.values(), expected, strict=True):
            torch.testing.assert_close(vector[number], value, atol=1e-5, rtol=1e-4)


def test_the_share_of_roles_is_that_of_words_and_padding_is_hidden(trained: mlm.MaskedLanguageModel) -> None:
    class Subjects(torch.nn.Module):
        def forward(self, ids: torch.Tensor, *, mask: torch.Tensor) -> torch.Tensor:
            assert torch.equal(mask, ids != mlm.PAD)
            says = torch.full_like(ids, ROLES.index("subject"))
            return torch.nn.functional.one_hot(says, len(ROLES)).float()

    tagged = roles.tagged(trained.tokenizer, 70, 0)
    share = (tagged.roles == ROLES.index("subject")).float().mean().item()
    assert roles.tagged_right(Subjects(), tagged) == pytest.approx(share)


def test_a_tagger_learns_from_each_state(trained: mlm.MaskedLanguageModel) -> None:
    known = roles.tagged(trained.tokenizer, 40, 0)
    made = roles.tagger(trained, known, steps=150)
    before = roles.tagged_right(made.model.eval(), known)
    made.run(150)
    assert roles.tagged_right(made.model.eval(), known) > before + 0.3


def test_counting_cannot_tell_who_uses_whom() -> None:
    kept = mlm.masked_language_model()
    measured = json.loads((WEIGHTS / "encoder.json").read_text(encoding="utf-8"))["who_uses"]
    known, unseen = (who_uses.lines(kept, who_uses.sentences(others)) for others in (who_uses.KNOWN, who_uses.UNSEEN))
    assert few_labels.counting(known, unseen, kept.record.recipe.vocab_size) == measured["counting"] == 0.5
    assert not set(who_uses.KNOWN) & set(who_uses.UNSEEN)


def test_runs_of_words_between_new_ones_do_not_tell_who_uses_whom() -> None:
    known, unseen = (
        who_uses.apart(who_uses.KNOWN, who_uses.KNOWN_BETWEEN),
        who_uses.apart(who_uses.UNSEEN, who_uses.UNSEEN_BETWEEN),
    )
    read, new = ({word for sentence, _ in said for word in sentence.strip(".").split()} for said in (known, unseen))
    assert new & read == {"The", "the", "function", "uses", "is", "used", "by"}
    for n in range(1, 9):
        assert who_uses.votes(known, unseen, n) == pytest.approx(len(unseen) * [0], abs=1e-9)
    measured = json.loads((WEIGHTS / "encoder.json").read_text(encoding="utf-8"))["who_uses_apart"]
    assert measured["known"] == len(known) and measured["unseen"] == len(unseen)
    assert np.mean(measured["found"]["pre-trained"]) > 0.9
