"""The masked language model of the course: what it reads, what it predicts, and the weights that are kept."""

import re
from dataclasses import replace

import pytest
import torch

from clearformer.tokenizers import WordPieceTokenizer
from clearformer.training import IGNORE_INDEX
from linebyline import corpora
from linebyline import masked_language_model as mlm
from linebyline.training_run import Record

TEXT = corpora.pydoc_topics()[:60_000]
SMALL = mlm.Recipe(
    vocab_size=400, context=20, shortest=5, d_model=16, n_heads=2, n_layers=1, d_ff=32, tokens=200, steps=22, warmup=4
)


@pytest.fixture(scope="module")
def tokenizer() -> WordPieceTokenizer:
    return mlm.tokenizer_of(TEXT, SMALL.vocab_size)


def small(tokenizer: WordPieceTokenizer, recipe: mlm.Recipe = SMALL) -> mlm.MaskedLanguageModel:
    model = mlm.encoder(recipe.config(), torch.Generator().manual_seed(0)).eval()
    return mlm.MaskedLanguageModel(model, tokenizer, Record(recipe))


def test_a_pair_is_framed_with_its_segments(tokenizer: WordPieceTokenizer) -> None:
    one, two = tokenizer.encode("The value"), tokenizer.encode("of a name")
    ids, segments = mlm.sequence(tokenizer, "The value", "of a name", context=20)
    assert ids.tolist() == [2, *one, 3, *two, 3]
    assert segments.tolist() == [0] * (len(one) + 2) + [1] * (len(two) + 1)
    ids, segments = mlm.sequence(tokenizer, "The [MASK]", context=20)
    assert ids.tolist() == [2, *tokenizer.encode("The"), 4, 3] and not segments.any()


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (("",), "text 1 has no words: ''"),
        (("a name", " \n"), r"text 2 has no words: ' \\n'"),
        (("a " * 19,), r"21 tokens, \[CLS\] and \[SEP\] among them, are more than the context=20 holds"),
        (("a " * 9, "a " * 9), r"21 tokens"),
    ],
)
def test_what_cannot_be_framed_is_refused(tokenizer: WordPieceTokenizer, texts: tuple, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        mlm.sequence(tokenizer, *texts, context=20)


def test_lines_begin_where_they_are_said_to(tokenizer: WordPieceTokenizer) -> None:
    ids, starts = mlm.passages(tokenizer, TEXT)
    first = tokenizer.decode(tokenizer.encode(TEXT.splitlines()[0]))
    assert tokenizer.decode(ids[: starts[1]].tolist()).split() == first.split()
    assert len(starts) == sum(bool(line) for line in TEXT.strip().splitlines())
    assert int((ids == mlm.SEP).sum()) == len(re.split(r"\n\n+", TEXT.strip()))


def test_windows_are_framed_begin_with_a_line_and_hide_other_tokens_each_time(tokenizer: WordPieceTokenizer) -> None:
    ids, starts = mlm.passages(tokenizer, TEXT)
    draw = mlm.batches(ids, starts, 400, shortest=5, longest=20, tokens=200, rate=0.3)
    generator, lengths = torch.Generator().manual_seed(0), set()
    begins = {tuple(ids[i : i + 3].tolist()) for i in starts.tolist()}
    for _ in range(60):
        inputs, targets = draw(generator)
        true = torch.where(targets == IGNORE_INDEX, inputs, targets)
        lengths.add(true.shape[1])
        assert len(true) == 200 // true.shape[1]
        assert (true[:, 0] == mlm.CLS).all() and (true[:, -1] == mlm.SEP).all()
        assert {tuple(row[1:4].tolist()) for row in true} <= begins
        chosen = true[targets != IGNORE_INDEX]
        assert (chosen > mlm.MASK).all()
    assert lengths == set(range(5, 21))


def test_the_loss_reads_hidden_tokens_alone(tokenizer: WordPieceTokenizer) -> None:
    model = small(tokenizer).model
    inputs = torch.tensor([[2, 9, 4, 11, 3], [2, 4, 7, 8, 3]])
    targets = torch.full_like(inputs, IGNORE_INDEX)
    targets[0, 2], targets[1, 1] = 30, 40
    logits = model(inputs)  # (2, 5, 400): every position, as its forward pass gives it
    expected = torch.nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten())
    torch.testing.assert_close(mlm.loss(model, (inputs, targets)), expected)


def test_fill_gives_the_likeliest_tokens_at_each_mask(tokenizer: WordPieceTokenizer) -> None:
    trained = small(tokenizer)
    first, second = trained.fill("The [MASK] of a [MASK]", n=3)
    ids, _ = mlm.sequence(tokenizer, "The [MASK] of a [MASK]", context=20)
    p = trained.model(ids).softmax(dim=-1)[ids == mlm.MASK]
    for guesses, row in ((first, p[0]), (second, p[1])):
        assert [q for _, q in guesses] == pytest.approx(row.sort(descending=True).values[:3].tolist())
        assert guesses[0][0] == tokenizer.decode([int(row.argmax())])
    assert all(len(guesses) == 1 for guesses in trained.fill(" ".join(["[MASK]"] * 18), n=1))
    with pytest.raises(ValueError, match=r"the text has no \[MASK\] to fill: 'a name'"):
        trained.fill("a name")


def test_a_training_learns_and_an_untrained_model_guesses_blindly(tokenizer: WordPieceTokenizer) -> None:
    recipe = replace(SMALL, steps=150, peak=1e-2, tokens=400)
    made = mlm.trainer(recipe, tokenizer, TEXT)
    before = mlm.evaluate(mlm.MaskedLanguageModel(made.model, tokenizer, small(tokenizer, recipe).record), TEXT)
    assert before[0] == pytest.approx(6.5, abs=0.5) and before[1] < 0.02
    made.run(recipe.steps)
    after = mlm.evaluate(mlm.MaskedLanguageModel(made.model.eval(), tokenizer, small(tokenizer, recipe).record), TEXT)
    assert after[0] < before[0] - 1 and after[1] > before[1]


@pytest.fixture(scope="module")
def kept() -> mlm.MaskedLanguageModel:
    return mlm.masked_language_model()


@pytest.fixture(scope="module")
def texts() -> tuple[str, str]:
    return corpora.docstrings_split()


def test_the_kept_model_knows_its_manual(kept: mlm.MaskedLanguageModel, texts: tuple[str, str]) -> None:
    nats, share = mlm.evaluate(kept, texts[1])
    assert nats == pytest.approx(kept.record.checks[-1][2], abs=1e-2)
    assert share > 0.3
    assert kept.fill("axis : int , [MASK]", n=1)[0][0][0] == "optional"
