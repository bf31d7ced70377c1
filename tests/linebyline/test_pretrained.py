"""The language model of the course: what is kept is what its recipe gives, and other files are refused."""

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from clearformer import tensor_files
from clearformer.models import gpt2
from clearformer.tokenizers import BPETokenizer
from clearformer.training import cross_entropy, token_windows
from linebyline import baselines, corpora, evaluation, pretrained
from linebyline.kept_models import WEIGHTS
from linebyline.pretrained import LANGUAGE_MODEL, LanguageModel, Recipe

SMALL = Recipe(vocab_size=300, context=16, d_model=8, n_heads=2, n_layers=1, batch=2, steps=6, warmup=2)
TEXT = corpora.pydoc_topics()[:100_000]


def trained(recipe: Recipe = SMALL, **options: int) -> LanguageModel:
    return pretrained.train(recipe, BPETokenizer.train(TEXT, recipe.vocab_size), TEXT, **options)


def weights(model: LanguageModel) -> torch.Tensor:
    return torch.cat([parameter.flatten() for parameter in model.model.parameters()])


@pytest.fixture(scope="module")
def kept() -> LanguageModel:
    return pretrained.language_model()


@pytest.fixture(scope="module")
def texts() -> tuple[str, str]:
    return corpora.docstrings_split()


@pytest.fixture(scope="module")
def ids(kept: LanguageModel, texts: tuple[str, str]) -> torch.Tensor:
    """The text that was trained on, as the kept model reads it."""
    return torch.tensor(kept.tokenizer.encode(texts[0]))


@pytest.mark.slow
def test_it_beats_counted_rows_and_a_compressor_and_makes_use_of_its_context(
    kept: LanguageModel, texts: tuple[str, str], ids: torch.Tensor
) -> None:
    cost = evaluation.bits_per_byte(kept, texts[1])
    assert cost == pytest.approx(kept.record.checks[-1][2], abs=2e-3)
    counted = baselines.KneserNey(ids.numpy(), kept.config.vocab_size, 6)
    assert cost < 0.9 * min(baselines.bits_per_byte(counted, kept.tokenizer, texts[1], k) for k in range(2, 7))
    # After a third of the text the compressor is worse by a twentieth, and takes a fifth of the time.
    assert cost < 0.85 * baselines.compressed_bits_per_byte(texts[0][-2_000_000:], texts[1])
    by_context = evaluation.loss_by_context(kept, texts[1], [8, 128], n_targets=500)
    assert by_context[128] < by_context[8] - 0.35


def test_what_a_context_is_worth_is_measured_again(kept: LanguageModel, texts: tuple[str, str]) -> None:
    content = json.loads((WEIGHTS / "contexts.json").read_text(encoding="utf-8"))
    assert list(content) == [*map(str, evaluation.SEEN), "foreign"]
    windows = evaluation.windows_before(kept, texts[1], 1000)
    foreign = torch.cat([windows.roll(500, 0)[:, -65:-17], windows[:, -17:]], dim=1)
    for name, losses in content.items():
        shown = foreign if name == "foreign" else windows[:, -int(name) - 1 :]
        again = evaluation.losses_at_end(kept, shown[::100])
        assert again.tolist() == pytest.approx(losses[::100], abs=1e-3)


def test_the_losses_by_context_are_those_at_the_last_tokens() -> None:
    model = trained()
    found = evaluation.contexts(model, TEXT[:9000], n_targets=4)
    windows = evaluation.windows_before(model, TEXT[:9000], 4)
    logits = model.model(windows[:, -6:-1])[:, -1]
    expected = torch.nn.functional.cross_entropy(logits, windows[:, -1], reduction="none")
    assert found["5"] == pytest.approx(expected.tolist(), abs=1e-3)


def test_other_versions_of_the_text_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpora, "docstrings_versions", lambda: "numpy 9.9, scipy 9.9")
    with pytest.warns(UserWarning, match=r"docstrings of numpy \d.*, scipy \d.*; installed are numpy 9.9, scipy 9.9"):
        pretrained.language_model()


def test_a_saved_model_comes_back_in_half_precision(tmp_path: Path) -> None:
    model = trained()
    LANGUAGE_MODEL.save(model, tmp_path / "small.safetensors")
    back = LANGUAGE_MODEL.load(tmp_path / "small.safetensors")
    assert torch.equal(weights(back), weights(model).half().float())
    assert (back.record, back.config, back.tokenizer.merges) == (model.record, model.config, model.tokenizer.merges)


def test_other_files_are_refused(tmp_path: Path) -> None:
    path, model = tmp_path / "small.safetensors", trained()
    LANGUAGE_MODEL.save(model, path)
    tensors, _ = tensor_files.load_tensors(path)
    tensor_files.save_tensors(path, tensors, {})
    with pytest.raises(ValueError, match=r"small.safetensors holds no recipe"):
        LANGUAGE_MODEL.load(path)
    wider = replace(model.record, recipe=replace(SMALL, d_model=16)).to_metadata()
    tensor_files.save_tensors(path, tensors, wider)
    with pytest.raises(ValueError, match=r"attention.b_o is \(8,\) there and \(16,\) here"):
        LANGUAGE_MODEL.load(path)


def test_same_seed_same_weights() -> None:
    same, again, other = trained(), trained(), trained(replace(SMALL, seed=1))
    assert torch.equal(weights(same), weights(again))
    assert not torch.equal(weights(same), weights(other))
    assert same.record.losses == again.record.losses
    assert len(same.record.losses) == SMALL.steps


def test_training_starts_from_the_untrained_model_which_guesses_blindly() -> None:
    recipe = replace(SMALL, d_model=64, batch=8)
    model, generator = trained(recipe, steps=1), torch.Generator().manual_seed(recipe.seed)
    start = pretrained.untrained(recipe, generator)
    ids = torch.tensor(model.tokenizer.encode(TEXT))
    inputs, targets = token_windows(ids, batch=8, length=16)(generator)  # what comes next is drawn
    first = cross_entropy(start(inputs), targets).item()
    assert first == pytest.approx(model.record.losses[0], rel=1e-5)
    assert first == pytest.approx(math.log(300), abs=0.1)
    drawn = pretrained.rotary_decoder(recipe.config(), torch.Generator().manual_seed(recipe.seed))
    assert cross_entropy(drawn(inputs), targets).item() > first + 0.4


def test_blocks_are_those_of_gpt2() -> None:
    ours = pretrained.rotary_decoder(SMALL.config(), torch.Generator().manual_seed(0)).state_dict()
    theirs = gpt2(SMALL.config(), torch.Generator().manual_seed(0)).state_dict()
    del theirs["embedding.position.table"]
    assert {name: tensor.shape for name, tensor in ours.items()} == {n: t.shape for n, t in theirs.items()}


def test_order_matters_to_it_and_distance_alone() -> None:
    model = pretrained.rotary_decoder(SMALL.config(), torch.Generator().manual_seed(0))
    one, other = model(torch.tensor([[5, 6, 7, 8], [6, 5, 7, 8]]))[:, -1]
    assert (one - other).abs().max() > 1e-3
