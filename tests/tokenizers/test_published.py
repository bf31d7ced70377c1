"""Tokenizers of published models: what `tokenizers` says, with special tokens only where they are asked for."""

from pathlib import Path

import pytest
import tokenizers

from clearformer.tokenizers import BPETokenizer, PublishedTokenizer, WordPieceTokenizer, load
from tests.tokenizers import published


@pytest.fixture(scope="module")
def pair(topics: str) -> tuple[PublishedTokenizer, tokenizers.Tokenizer]:
    theirs = published.llama_3(topics[:100_000])
    return PublishedTokenizer(tokenizers.Tokenizer.from_str(theirs.to_str())), theirs


def test_plain_text_never_becomes_a_special_id(pair) -> None:
    ours, theirs = pair
    text = "a <|eot_id|> b"
    special = set(ours.special_tokens.values())
    assert special & set(theirs.encode(text).ids) and not special & set(ours.encode(text))
    assert ours.decode(ours.encode(text)) == text


def test_all_special_tokens_are_recognized_where_allowed(pair) -> None:
    ours, theirs = pair
    text = "a <|eot_id|> b"
    assert ours.encode(text, allowed_special=ours.special_tokens) == theirs.encode(text, add_special_tokens=False).ids
    assert ours.encode(text, allowed_special=ours.special_tokens, add_special=True) == theirs.encode(text).ids
    with pytest.raises(ValueError, match="allowed_special has 1 of 3 special tokens; allow all or none"):
        ours.encode(text, allowed_special=["<|eot_id|>"])
    with pytest.raises(ValueError, match="<pad>"):
        ours.encode(text, allowed_special=["<pad>"])


def test_ids_that_are_not_tokens_are_left_out(pair) -> None:
    ours, _ = pair
    assert ours.decode([-1, *ours.encode("a"), 10**6, 10**30]) == "a"
    with pytest.raises(TypeError):
        ours.decode([0.5])


def test_it_is_read_and_written(pair, tmp_path: Path) -> None:
    ours, _ = pair
    ours.save(tmp_path / "tokenizer.json")
    loaded = load(tmp_path / "tokenizer.json")
    assert (loaded.vocab, loaded.special_tokens) == (ours.vocab, ours.special_tokens)
    assert loaded.vocab_size == ours.vocab_size == ours.backend.get_vocab_size()
    assert loaded.encode("It's 12345.") == ours.encode("It's 12345.")


def test_a_published_file_is_neither_cut_nor_padded(pair, tmp_path: Path) -> None:
    backend = tokenizers.Tokenizer.from_str(pair[1].to_str())
    backend.enable_truncation(2)
    backend.enable_padding(length=50)
    backend.save(str(tmp_path / "tokenizer.json"))
    assert load(tmp_path / "tokenizer.json").encode("one two three four") == pair[0].encode("one two three four")


@pytest.mark.parametrize("cls", [BPETokenizer, WordPieceTokenizer])
def test_it_reads_ours(topics: str, tmp_path: Path, cls: type[BPETokenizer]) -> None:
    ours = cls.train(topics[:50_000], 600, special_tokens=["[UNK]", "<eos>"])
    ours.save(tmp_path / "tokenizer.json")
    assert load(tmp_path / "tokenizer.json").encode("An <eos>\ud800.") == ours.encode("An <eos>\ud800.")


@pytest.mark.parametrize("content", ["", "[]", '{"model": 1}'])
def test_other_files_are_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "tokenizer.json").write_text(content)
    with pytest.raises(ValueError, match=r"tokenizer\.json is not a tokenizer\.json"):
        load(tmp_path / "tokenizer.json")
    with pytest.raises(FileNotFoundError, match="nowhere"):
        load(tmp_path / "nowhere")
