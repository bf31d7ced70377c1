"""Text that is shown as it comes: nothing is taken back, and in the end it is the whole text."""

import pydoc_data.topics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clearformer.checkpoints.gguf_tokenizer import tokenizer as from_facts
from clearformer.cli.text import TextStream
from clearformer.tokenizers import BPETokenizer
from tests.checkpoints.test_gguf_tokenizer import spm_facts
from tests.few import few

TEXT = " ".join(pydoc_data.topics.topics.values())[:20_000]
BYTES = BPETokenizer.train(TEXT, 400)
PIECES = from_facts(spm_facts(TEXT, 500))


def streamed(tokenizer, before, ids, **options):
    stream = TextStream(tokenizer.decode, before, **options)
    pieces = [stream.add(i) for i in ids]
    return [*pieces, stream.rest()], stream


@few
@given(st.text(max_size=40), st.text(max_size=20))
@pytest.mark.parametrize("tokenizer", [BYTES, PIECES], ids=["bytes", "pieces"])
def test_the_pieces_are_the_text(tokenizer, text, prompt):
    before, ids = tokenizer.encode(f"a{prompt}"), tokenizer.encode(f" {text}")
    pieces, _ = streamed(tokenizer, before, ids)
    assert "".join(pieces) == tokenizer.decode([*before, *ids])[len(tokenizer.decode(before)) :]


@given(st.lists(st.integers(0, BYTES.vocab_size - 1), max_size=30))
def test_bytes_that_are_no_text_are_shown_as_the_whole_shows_them(ids):
    assert "".join(streamed(BYTES, [], ids)[0]) == BYTES.decode(ids)


@given(st.text(max_size=30), st.lists(st.text(min_size=1, max_size=4), max_size=3))
def test_a_stop_ends_the_text_where_it_begins(text, stops):
    pieces, stream = streamed(BYTES, [], BYTES.encode(text), stops=stops)
    found = [text.index(stop) for stop in stops if stop in text]
    shown = "".join(pieces)
    assert stream.ended == bool(found)
    # A stop that ends later may begin earlier than the one that was met first.
    assert text.startswith(shown)
    assert not any(stop in shown for stop in stops)
    assert shown == text if not found else len(shown) >= min(found)


def test_half_a_character_waits_for_the_rest_of_it():
    ids = [BYTES.vocab[bytes([byte])] for byte in "é☕".encode()]
    assert streamed(BYTES, [], ids)[0] == ["", "é", "", "", "☕", ""]
    assert streamed(BYTES, [], ids[:1])[0] == ["", "�"]


def test_what_could_be_the_beginning_of_a_stop_waits():
    ids = [BYTES.vocab[bytes([byte])] for byte in b"a\nUb\nUser:c"]
    pieces, stream = streamed(BYTES, [], ids, stops=["\nUser:", "zzz"])
    assert pieces == ["a", "", "", "\nUb", "", "", "", "", "", "", "", ""]
    assert stream.ended


def test_a_blank_after_the_prompt_is_kept():
    before = PIECES.encode("The class")
    assert "".join(streamed(PIECES, before, PIECES.encode("of"))[0]) == " of"
    assert "".join(streamed(PIECES, [], PIECES.encode("of"))[0]) == "of"


def test_hidden_tokens_are_not_shown():
    assert "".join(streamed(PIECES, [1], [*PIECES.encode("a"), 2], hidden=[1, 2])[0]) == "a"


def test_an_empty_stop_is_refused():
    with pytest.raises(ValueError, match="a stop text must not be empty"):
        TextStream(str, stops=[""])


def test_long_texts_are_not_decoded_again_and_again():
    lengths = []

    def decode(ids):
        lengths.append(len(ids))
        return "a" * len(ids)

    stream = TextStream(decode, range(1000))
    assert "".join(stream.add(0) for _ in range(100)) == 100 * "a"
    assert max(lengths) < 12
