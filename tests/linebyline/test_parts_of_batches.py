"""The course's trainings weigh the parts of a batch by what they ask for, so that parts or processes give the whole."""

import itertools

import pytest

from clearformer import training
from linebyline import corpora
from linebyline import masked_language_model as mlm
from linebyline import translation as tr


def small_trainer(name: str) -> training.Trainer:
    sizes = {"d_model": 16, "n_heads": 2, "n_layers": 1, "d_ff": 32, "steps": 5, "warmup": 1}
    if name == "translator":
        return tr.trainer(tr.Recipe(**sizes, pairs=50, batch=8), tr.Words.of(tr.GRAMMARS))
    recipe = mlm.Recipe(**sizes, vocab_size=300, context=20, shortest=5, tokens=200)
    text = corpora.docstrings_split()[0][:20_000]
    # What the tokenizer does not know is never hidden, so these rows are asked for less than others.
    strange = text.replace("the ", "☃ ☃ ☃ ☃ ☃ ☃ ")
    return mlm.trainer(recipe, mlm.tokenizer_of(text, recipe.vocab_size), strange)


@pytest.mark.parametrize("name", ["translator", "masked language model"])
def test_a_batch_in_unequal_parts_is_the_batch(name: str) -> None:
    whole, parts = small_trainer(name), small_trainer(name)
    batch = whole.batches(whole.generator)
    first, rest = (tuple(part[rows] for part in batch) for rows in (slice(3), slice(3, None)))
    assert abs(int(whole.count(first)) / int(whole.count(batch)) - 3 / len(batch[0])) > 0.01  # not a part by rows
    turns = itertools.cycle([first, rest])
    whole.batches, parts.batches, parts.accumulate = (lambda _: batch), (lambda _: next(turns)), 2
    assert parts.run(5) == pytest.approx(whole.run(5), rel=1e-5)
