"""Text to text: tasks that say what they want, batches of new sentences, and the kept model."""

import itertools
import json
import random

import pytest
import torch

from clearformer.models import t5
from clearformer.training import restore_spans
from linebyline import text_to_text as tt
from linebyline import translation as tr
from linebyline.corpora import ENGLISH_PLURAL
from linebyline.corpora.translations import choosing, is_held_out
from linebyline.corpora.translations.language import ENGLISH, FRENCH, SWEDISH
from linebyline.corpora.translations.plural import plural
from linebyline.kept_models import WEIGHTS
from linebyline.text_to_text import model, prefixes, studies
from linebyline.training_run import Record

WORDS = tt.vocabulary()
SMALL = tt.Recipe(d_model=16, n_heads=2, n_layers=1, d_ff=16, batch=10, steps=6, warmup=2)


def small(seed: int = 0) -> torch.nn.Module:
    return t5(SMALL.config(len(WORDS)), torch.Generator().manual_seed(seed)).eval()


@pytest.mark.parametrize(
    ("prefix", "text", "read", "write"),
    [
        ("plural:", "A boy sleeps.", "plural : a boy sleeps .", "boys sleep ."),
        ("reverse:", "Dan sees a dog.", "reverse : Dan sees a dog .", "dog a sees Dan ."),
        ("sort:", "Dan sees a dog.", "sort : Dan sees a dog .", "a Dan dog sees ."),
        ("translate English to Swedish:", "Dan sings.", "translate English to Swedish : Dan sings .", "Dan sjunger ."),
    ],
)
def test_tasks_by_hand(prefix: str, text: str, read: str, write: str) -> None:
    task = tt.TASKS[prefix]
    assert task.example(task.grammar.translate(text)) == (tuple(read.split()), tuple(write.split()))


def test_the_plural_of_the_plural_is_the_plural() -> None:
    drawn = choosing.Choices(random.Random(0))
    for _ in range(500):
        once = plural(choosing.sentence(drawn))
        assert plural(once) == once


@pytest.mark.parametrize(
    ("text", "several"),
    [
        ("The man sleeps because he is tired.", "the men sleep because they are tired ."),
        ("Dan sleeps because he is tired.", "Dan sleeps because he is tired ."),
        ("He does not read this old book.", "he does not read these old books ."),
        ("I drink water with my friend.", "I drink water with my friends ."),
        ("Jane and Dan visit Africa.", "Jane and Dan visit Africa ."),
    ],
)
def test_plurals_by_hand(text: str, several: str) -> None:
    assert " ".join(ENGLISH_PLURAL.translate(text).target) == several


def test_grammars_of_one_language_draw_the_same_sentences() -> None:
    pairs = prefixes.same_sentences("English", 20)
    assert len(pairs) == 4 and len({tuple(p.source for p in of_one) for of_one in pairs.values()}) == 1


def test_batches_share_sentences_out_and_hold_none_that_is_kept_for_judging() -> None:
    tasks = list(tt.TASKS.values())
    draw = tt.batches(WORDS, tasks, batch=10)
    generator = torch.Generator().manual_seed(0)
    first, second = draw(generator), draw(generator)
    assert not torch.equal(first[0][:, :6], second[0][:, :6])
    for sources, targets in (first, second):
        assert (targets[:, 0] == WORDS.encode([tt.START])[0]).all()
        for row, task in zip(sources.tolist(), [task for task in tasks for _ in range(2)], strict=True):
            read = tuple(WORDS.tokens[i] for i in row if i != tr.PAD)
            assert read[: len(task.words)] == task.words
            assert not is_held_out(read[len(task.words) :])


def test_unseen_sentences_are_those_that_are_held_out() -> None:
    for task in tt.TASKS.values():
        pairs = task.unseen(10)
        assert 8 <= len(pairs) < 20 and max(len(p.source) for p in pairs) <= task.longest
        assert all(is_held_out(p.source) or any(map(is_held_out, p.combinations)) for p in pairs)


def test_hidden_texts_are_sentences_with_their_spans() -> None:
    inputs, targets = studies.practice_texts(WORDS, batch=8)(torch.Generator().manual_seed(0))
    sentinels = WORDS.encode(tt.SENTINELS)
    spoken = itertools.cycle([ENGLISH, FRENCH, SWEDISH, ENGLISH])
    for row, target in zip(inputs, targets, strict=True):
        assert target[0] == WORDS.encode([tt.START])[0]
        body = target[1 : target.tolist().index(tr.END)]
        whole = WORDS.decode(restore_spans(row[row != tr.PAD], body, sentinels).tolist())
        assert whole[-1] == "." and not {"<pad>", "<end>"} & set(whole)
        assert set(whole) <= set(next(spoken).vocabulary)


def test_practices_read_the_same_and_whole_sentences_are_written_as_they_were() -> None:
    spans, whole = (
        studies.practice_texts(WORDS, practice, batch=8)(torch.Generator().manual_seed(0))
        for practice in studies.PRACTICES.values()
    )
    assert torch.equal(spans[0], whole[0])
    assert set(whole[1].flatten().tolist()).isdisjoint(WORDS.encode(tt.SENTINELS))
    for read, hidden, written in zip(spans[0], spans[1], whole[1], strict=True):
        body = hidden[1 : hidden.tolist().index(tr.END)]
        sentence = restore_spans(read[read != tr.PAD], body, WORDS.encode(tt.SENTINELS)).tolist()
        assert written[: len(sentence) + 2].tolist() == [*WORDS.encode([tt.START]), *sentence, tr.END]


def test_a_word_is_asked_behind_the_true_ones_and_padding_is_none() -> None:
    task, (stop,) = studies.FEW, WORDS.encode(["."])

    def says_stop(sources: torch.Tensor, targets: torch.Tensor, *, mask: torch.Tensor) -> torch.Tensor:
        assert torch.equal(mask, sources != tr.PAD)
        return torch.nn.functional.one_hot(torch.full_like(targets, stop), len(WORDS)).float()

    lengths = [len(task.write(pair)) + 1 for pair in task.unseen(20)]  # the end is asked for, too
    assert min(lengths) < max(lengths)
    assert studies.word_accuracy(says_stop, WORDS, task, 20) == pytest.approx(len(lengths) / sum(lengths))


def test_a_few_examples_leave_the_start_as_it_is_and_teach_the_copy() -> None:
    start = studies.untrained(WORDS, 0)
    before = start.encoder.embedding.table.clone()
    *_, learner = studies.tuned(start, WORDS, studies.FEW, 2, seed=0, marks=(4, 8))
    assert torch.equal(start.encoder.embedding.table, before)
    assert not torch.equal(learner.encoder.embedding.table, before)
    assert 0 <= studies.word_accuracy(learner, WORDS, studies.FEW, 5) < 0.5


def test_probabilities_belong_to_what_was_written() -> None:
    model, task = small(), tt.TASKS["reverse:"]
    found = prefixes.written(model, WORDS, task, ("Dan", "sleeps", "."))
    sources, _ = tt.rows(WORDS, [((*task.words, "Dan", "sleeps", "."), ())])
    (ids,) = tr.greedy(tr.reader(model), sources, WORDS.encode([tt.START])[0])
    assert tuple(word for word, _ in found) == WORDS.decode(ids)
    before = torch.tensor([[*WORDS.encode([tt.START]), *ids]])
    for place, (_, probability) in enumerate(found):  # each behind the words that were written before it
        expected = model(sources, before[:, : place + 1])[0, -1].softmax(-1).max().item()
        assert probability == pytest.approx(expected, rel=1e-5)


def test_only_sentences_for_which_two_prefixes_differ_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prefixes, "finds", lambda read, sources, targets: targets.sum(dim=1) % 2 == 0)
    pairs = prefixes.same_sentences("English", 300)
    shares = prefixes.exchanged(small(), WORDS, "English", 300)
    assert len(shares) == 12
    left_out = 0
    for (old, new), share in shares.items():
        wanted = [(tt.TASKS[old].write(a), tt.TASKS[new].write(b)) for a, b in zip(pairs[old], pairs[new], strict=True)]
        ids = [WORDS.encode([tt.START, *words, "<end>"]) for other, words in wanted if other != words]
        assert share == pytest.approx(sum(sum(row) % 2 == 0 for row in ids) / len(ids))
        left_out += len(wanted) - len(ids)
    assert left_out > 0


def test_of_some_tasks_the_worst_and_the_mean_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    right = dict(zip(tt.TASKS.values(), (0.75, 1.0, 0.5, 1.0, 1.0), strict=True))
    monkeypatch.setattr(model, "accuracy", lambda model, words, task, n: right[task])
    trained = tt.TextToText(small(), WORDS, Record(SMALL))
    assert tt.worst_and_mean(trained) == (0.5, 0.85)


def test_the_kept_model_does_its_tasks() -> None:
    trained = tt.text_to_text()
    for prefix, task in tt.TASKS.items():
        assert tt.accuracy(trained.model, WORDS, task, 150) >= 0.95, prefix
    assert min(prefixes.exchanged(trained.model, WORDS, "English", 100).values()) >= 0.95
    assert trained.write("translate English to Swedish:", "Dan loves ice cream") == "Dan älskar glass."
    assert trained.write("plural:", "This boy reads a book.") == "These boys read books."


@pytest.mark.parametrize(
    ("prefix", "text", "words"),
    [
        ("translate:", "Dan sings.", "there is no prefix 'translate:'; there are 'translate English to Swedish:'"),
        ("sort:", "", "'' has no words"),
        ("plural:", "Dan loves robots.", "the English vocabulary does not have 'robots'"),
        ("translate French to English:", "Dan sings.", "the French vocabulary does not have 'sings'"),
        ("reverse:", "Dan " * 60, "61 words are too many: at most 47 and an end are written"),
    ],
)
def test_what_cannot_be_done_is_refused(prefix: str, text: str, words: str) -> None:
    trained = tt.TextToText(small(), WORDS, Record(SMALL))
    with pytest.raises(ValueError, match=words):
        trained.write(prefix, text)


def test_tuning_yields_the_same_model_whether_it_is_looked_at_on_the_way_or_not() -> None:
    start, few = studies.untrained(WORDS, 0), (WORDS, studies.FEW, 2, 0)
    *_, stopped = studies.tuned(start, *few, marks=(2, 3, 4))
    (straight,) = studies.tuned(start, *few, marks=(4,))
    for one, other in zip(stopped.parameters(), straight.parameters(), strict=True):
        assert torch.equal(one, other)


def test_the_recorded_studies_are_those_of_the_package() -> None:
    recorded = json.loads((WEIGHTS / "text_to_text_studies.json").read_text())
    few, both = recorded["few_examples"], recorded["together"]
    assert (few["task"], few["read"], few["examples"]) == (studies.FEW.prefix, studies.READ.steps, studies.EXAMPLES)
    assert tuple(few["steps"]) == studies.MARKS
    assert (both["steps"], both["of_each"]) == (studies.TOGETHER.steps, studies.TOGETHER.batch // len(tt.TASKS))
    assert list(both["shares"]) == list(tt.TASKS)
    assert tuple(both["as_much_work"]) == studies.AS_MUCH_WORK
    assert {len(found) for of in both["shares"].values() for found in of.values()} == {3}
    runs = [run for seeds in few["found"].values() for run in seeds]
    assert list(few["found"]) == ["as drawn", *studies.PRACTICES]
    assert len(runs) == 9 and all(len(run) == len(studies.MARKS) for run in runs)
    assert all(0 < share < 1 for run in runs for share in run)
    assert recorded["again"]["examples"] == both["steps"] * both["of_each"]
    assert {len(found) for found in recorded["again"]["found"].values()} == {3}
