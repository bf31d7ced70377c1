"""The course's own model: trained once, kept, loaded from then on, and made anew when anything it rests on changes."""

import math
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from clearformer.course import pretrained
from clearformer.course.corpora import pydoc_topics, split
from clearformer.tokenizers import BPETokenizer
from clearformer.training import cross_entropy, token_windows

SMALL = pretrained.Recipe(vocab_size=300, context=16, d_model=8, n_heads=2, n_layers=1, batch=2, steps=6, warmup=2)


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_trains_once_and_loads_from_then_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = pretrained.language_model(SMALL, folder=tmp_path)
    (name,) = files(tmp_path)
    assert name.startswith("language_model-")
    monkeypatch.setattr(pretrained, "train", None)  # would raise if called; the key reads its source no more
    monkeypatch.setattr(
        pretrained, "_key", lambda *_: name.removeprefix("language_model-").removesuffix(".safetensors")
    )
    second = pretrained.language_model(SMALL, folder=tmp_path)
    assert torch.equal(first.losses, second.losses)
    assert first.losses.shape == (6,)
    for one, other in zip(first.model.parameters(), second.model.parameters(), strict=True):
        assert torch.equal(one, other)
    assert not first.model.training


def test_same_seed_same_weights_and_another_recipe_another_file(tmp_path: Path) -> None:
    models = [
        pretrained.language_model(recipe, folder=tmp_path / folder)
        for recipe, folder in ((SMALL, "a"), (SMALL, "b"), (replace(SMALL, seed=1), "a"))
    ]
    same, again, other = (torch.cat([p.flatten() for p in m.model.parameters()]) for m in models)
    assert torch.equal(same, again)
    assert not torch.equal(same, other)
    assert files(tmp_path / "b")[0] in files(tmp_path / "a")
    assert len(files(tmp_path / "a")) == 2


def test_training_starts_from_the_untrained_model(tmp_path: Path) -> None:
    trained = pretrained.language_model(SMALL, folder=tmp_path)
    generator = torch.Generator().manual_seed(SMALL.seed)
    start = pretrained.untrained(SMALL, generator=generator)
    text, _ = split(pydoc_topics())
    ids = torch.tensor(trained.tokenizer.encode(text))
    inputs, targets = token_windows(ids, batch=SMALL.batch, length=SMALL.context)(generator)  # what comes next is drawn
    assert cross_entropy(start(inputs), targets).item() == pytest.approx(trained.losses[0].item(), rel=1e-5)
    for block in start.blocks:
        assert not block.attention.w_o.any()
        assert not block.feed_forward.w_out.any()


def test_environment_names_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEARFORMER_MODELS", str(tmp_path / "here"))
    pretrained.language_model(SMALL)
    assert len(files(tmp_path / "here")) == 1


def test_bits_per_byte_of_a_model_that_knows_nothing(tmp_path: Path) -> None:
    trained = pretrained.language_model(SMALL, folder=tmp_path)
    with torch.no_grad():
        trained.model.embedding.table.zero_()  # every token alike
    _, validation = split(pydoc_topics())
    bytes_per_token = len(validation.encode()) / len(trained.tokenizer.encode(validation))
    expected = math.log2(300) / bytes_per_token
    assert pretrained.bits_per_byte(trained, validation) == pytest.approx(expected, rel=1e-3)
    # A window that ends within a character counts the bytes it holds: tokens of one byte cost 8 bits for each.
    bytewise = replace(trained, tokenizer=BPETokenizer.train("", 256))
    with torch.no_grad():
        trained.model.embedding.table = torch.nn.Parameter(torch.zeros(256, SMALL.d_model))
    assert pretrained.bits_per_byte(bytewise, "你好" * 50) == pytest.approx(8, rel=1e-5)
    with pytest.raises(ValueError, match="1 tokens are too few for a window of 16 and its targets"):
        pretrained.bits_per_byte(trained, "a")
