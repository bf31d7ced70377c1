"""What holds for every tokenizer of ours: special tokens, any ids, odd text, refusals."""

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st

from clearformer.tokenizers import (
    BPETokenizer,
    CharacterBPETokenizer,
    CharacterTokenizer,
    Tokenizer,
    UnigramTokenizer,
    WordPieceTokenizer,
)
from tests.few import few
from tests.tokenizers import peers

CLASSES = [BPETokenizer, CharacterBPETokenizer, CharacterTokenizer, UnigramTokenizer, WordPieceTokenizer]
SPECIAL = ["<unk>", "[UNK]", "<sos>", "<eos>"]
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


@pytest.fixture(scope="module", params=CLASSES)
def tokenizer(request: pytest.FixtureRequest, topics: str) -> Tokenizer:
    return request.param.train(topics[:60_000], 600, special_tokens=SPECIAL)


@pytest.fixture(scope="module")
def theirs(tokenizer: Tokenizer) -> tokenizers.Tokenizer:
    return peers.as_hugging_face(tokenizer)


@few
@given(text=st.text(max_size=60) | st.text(alphabet="aeinst日'! \n▁<s>", max_size=60))
def test_ids_and_text_equal_hugging_face(tokenizer: Tokenizer, theirs: tokenizers.Tokenizer, text: str) -> None:
    if isinstance(
        tokenizer, BPETokenizer | WordPieceTokenizer
    ):  # their classes of characters depend on Unicode's version
        text = "".join(c for c in text if c.isprintable() or c == "\n")
    ids = theirs.encode(text).ids
    assert tokenizer.encode(text) == ids
    assert tokenizer.decode(ids) == theirs.decode(ids, skip_special_tokens=False)


def test_a_corpus_equals_hugging_face(tokenizer: Tokenizer, theirs: tokenizers.Tokenizer, topics: str) -> None:
    ids = theirs.encode(topics).ids
    assert tokenizer.encode(topics) == ids
    assert tokenizer.decode(ids) == theirs.decode(ids, skip_special_tokens=False)


@few
@given(text=st.text(alphabet="aeinst <>/eos'1\n日", max_size=30))
def test_plain_text_never_becomes_a_special_id(tokenizer: Tokenizer, text: str) -> None:
    assert not {2, 3} & set(tokenizer.encode(f"<sos>{text}<eos>"))
    ids = tokenizer.encode(f"<sos>{text}<eos>", allowed_special=["<sos>", "<eos>"])
    assert (ids[0], ids[-1]) == (2, 3)
    assert tokenizer.encode("<sos> a<eos>", allowed_special={"<eos>"}) == [*tokenizer.encode("<sos> a"), 3]


@few
@given(ids=st.lists(st.integers(-(10**12), 10**12) | st.integers(0, 700), max_size=30))
def test_any_ids_have_a_text(tokenizer: Tokenizer, ids: list[int]) -> None:
    tokenizer.decode(ids).encode()
    assert tokenizer.decode([10**6, -1]).replace(" ", "") == 2 * REPLACEMENT


def test_training_never_learns_the_spelling_of_a_special_token() -> None:
    for cls in (BPETokenizer, CharacterBPETokenizer, UnigramTokenizer, WordPieceTokenizer):
        spam = "▁spam" if cls in (CharacterBPETokenizer, UnigramTokenizer) else "spam"
        text, special = "spam spam spam eggs " * 5, ["<unk>", "[UNK]"]
        assert {spam, spam.encode()} & set(cls.train(text, 300, special_tokens=special).vocab)
        trained = cls.train(text, 300, special_tokens=[*special, spam])
        assert not {spam, spam.encode()} & set(trained.vocab)
        assert 2 not in trained.encode("spam")


def test_lone_surrogates_are_read_as_replacement_characters(tokenizer: Tokenizer) -> None:
    assert tokenizer.encode("a\ud800 b\udc80") == tokenizer.encode(f"a{REPLACEMENT} b{REPLACEMENT}")
    assert tokenizer.encode("\ud83d\ude00") == tokenizer.encode("😀")
    vocab = [type(tokenizer).train(9 * text, 300, special_tokens=SPECIAL).vocab for text in ("\ud800", REPLACEMENT)]
    assert vocab[0] == vocab[1]


def test_other_types_are_refused(tokenizer: Tokenizer) -> None:
    for text in (b"bytes", None, ["a"]):
        with pytest.raises(TypeError):
            tokenizer.encode(text)  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            type(tokenizer).train(text, 600)  # type: ignore[arg-type]
    for ids in ("abc", [0.5], [None]):
        with pytest.raises(TypeError):
            tokenizer.decode(ids)  # type: ignore[arg-type]


def test_special_tokens_are_checked(tokenizer: Tokenizer) -> None:
    for special, message in [(["a"], "at least 2"), (["<a>", "<a>"], "2 times"), (["<\ud800>"], "lone surrogate")]:
        with pytest.raises(ValueError, match=message):
            type(tokenizer).train("text", 600, special_tokens=special)
    with pytest.raises(TypeError, match="single str"):
        type(tokenizer).train("text", 600, special_tokens="<eos>")
    with pytest.raises(ValueError, match="<pad>"):
        tokenizer.encode("a", allowed_special=["<pad>"])
    with pytest.raises(TypeError, match="single str"):
        tokenizer.encode("a", allowed_special="<sos>")
