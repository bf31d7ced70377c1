"""tokenizer.json: what we write Hugging Face reads, what it writes we read, anything else is refused."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clearformer.tokenizers import (
    BPETokenizer,
    CharacterBPETokenizer,
    CharacterTokenizer,
    UnigramTokenizer,
    WordPieceTokenizer,
)
from tests.tokenizers import peers

TEXT = "Dan loves icecream. Jane visite l'Afrique en septembre: été, 日本, 😀\n  <eos> end"
CLASSES = [BPETokenizer, WordPieceTokenizer, CharacterTokenizer, UnigramTokenizer, CharacterBPETokenizer]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "tokenizer.json"


@pytest.mark.parametrize("pattern", [None, r"\p{L}+|\d"])
def test_bpe_file_equals_hugging_faces(topics: str, path: Path, pattern: str | None) -> None:
    theirs = peers.train_hugging_face_bpe(topics, 600, ["<eos>"], pattern)
    kwargs = {} if pattern is None else {"pattern": pattern}
    ours = BPETokenizer.train(topics, 600, special_tokens=["<eos>"], **kwargs)
    assert json.loads(ours.to_json()) == peers.as_json(theirs)
    theirs.save(str(path))
    assert BPETokenizer.load(path).encode(TEXT, allowed_special=["<eos>"]) == theirs.encode(TEXT).ids


@pytest.mark.parametrize("cls", CLASSES)
def test_load_undoes_save(topics: str, path: Path, cls: type[BPETokenizer]) -> None:
    saved = cls.train(topics, 600, special_tokens=["<eos>", "[UNK]", "<unk>"])
    saved.save(str(path))
    loaded = cls.load(str(path))
    assert (loaded.vocab, loaded.special_tokens) == (saved.vocab, saved.special_tokens)
    assert loaded.encode(TEXT) == saved.encode(TEXT)
    assert vars(loaded).get("merges") == vars(saved).get("merges")
    assert vars(loaded).get("pattern") == vars(saved).get("pattern")


def test_gpt_2_s_file_is_read(topics: str, path: Path) -> None:
    saved = BPETokenizer.train(topics, 600, special_tokens=["<|endoftext|>"])
    saved.save(path)

    def as_published(file: Any) -> None:
        model = file["model"]
        model.update(merges=[" ".join(pair) for pair in model["merges"]], continuing_subword_prefix="")
        del model["type"], model["ignore_merges"], file["pre_tokenizer"]["use_regex"]
        file["post_processor"] = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": False}

    change(path, as_published)
    loaded = BPETokenizer.load(path)
    assert (loaded.merges, loaded.special_tokens) == (saved.merges, saved.special_tokens)
    assert loaded.encode(TEXT) == saved.encode(TEXT)


def change(path: Path, edit: Callable[[Any], object]) -> None:
    """Edit a saved file."""
    file = json.loads(path.read_text(encoding="utf-8"))
    edit(file)
    path.write_text(json.dumps(file), encoding="utf-8")


EVERYWHERE: dict[str, Callable[[Any], object]] = {
    "normalizer": lambda file: file.update(normalizer={"type": "Nmt"}),
    "truncation": lambda file: file.update(truncation={"max_length": 3}),
    "padding": lambda file: file.update(padding={"pad_id": 0}),
    "post_processor": lambda file: file.update(post_processor={"type": "TemplateProcessing"}),
    "pre_tokenizer": lambda file: file["pre_tokenizer"].update(add_prefix_space=True),
    "added_tokens": lambda file: file["added_tokens"][0].update(single_word=True),
    "type": lambda file: file["model"].update(type="Other"),
    "not supported by this class": lambda file: file["model"].update(option=True),
    "not a tokenizer.json": lambda file: file.clear(),
}


@pytest.mark.parametrize("part", EVERYWHERE)
@pytest.mark.parametrize("cls", CLASSES)
def test_what_we_do_not_do_is_refused_by_name(path: Path, cls: type[BPETokenizer], part: str) -> None:
    cls.train("abc", 300, special_tokens=["<eos>", "<unk>"]).save(path)
    change(path, EVERYWHERE[part])
    with pytest.raises(ValueError, match=part):
        cls.load(path)


@pytest.mark.parametrize(
    ("cls", "name", "value"),
    [
        (BPETokenizer, "dropout", 0.1),
        (BPETokenizer, "continuing_subword_prefix", "##"),
        (BPETokenizer, "end_of_word_suffix", "</w>"),
        (BPETokenizer, "byte_fallback", True),
        (BPETokenizer, "fuse_unk", True),
        (BPETokenizer, "unk_token", "?"),
        (CharacterBPETokenizer, "fuse_unk", True),
        (UnigramTokenizer, "byte_fallback", True),
        (WordPieceTokenizer, "unk_token", "?"),
        (WordPieceTokenizer, "continuing_subword_prefix", "@@"),
        (CharacterTokenizer, "unk_token", "?"),
    ],
)
def test_options_of_the_model_are_refused_by_name(
    path: Path, cls: type[BPETokenizer], name: str, value: object
) -> None:
    cls.train("abc", 300).save(path)
    change(path, lambda file: file["model"].update({name: value}))
    with pytest.raises(ValueError, match=name):
        cls.load(path)


@pytest.mark.parametrize("content", ["", "[]", "null", '{"model": 1}', "not json"])
def test_other_files_are_refused(path: Path, content: str) -> None:
    path.write_text(content)
    with pytest.raises(ValueError, match=r"not a tokenizer\.json"):
        BPETokenizer.load(path)
