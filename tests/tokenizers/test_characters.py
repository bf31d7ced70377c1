"""Character tokens: by hand, equal to Hugging Face's word-level model, invariants."""

from clearformer.tokenizers import CharacterTokenizer

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def test_by_hand() -> None:
    tokenizer = CharacterTokenizer.train("Dan loves", special_tokens=["<eos>"])
    assert tokenizer.vocab == dict(zip(f"{REPLACEMENT} Daelnosv", range(1, 11), strict=True))
    assert tokenizer.encode("love!<eos>", allowed_special=["<eos>"]) == [6, 8, 10, 5, 1, 0]
    assert tokenizer.decode([6, 8, 10, 5, 1, 0]) == f"love{REPLACEMENT}<eos>"


def test_the_most_frequent_characters_are_kept() -> None:
    assert [*CharacterTokenizer.train("cccbbaad", 4, special_tokens=["<eos>"]).vocab] == [REPLACEMENT, "a", "c"]
    assert CharacterTokenizer.train("ab", 100).vocab_size == 3
