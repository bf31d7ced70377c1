"""The checks that all tokenizers share."""

from clearformer.tokenizers.special import split_special, well_formed


def test_well_formed_text_is_returned_as_it_is() -> None:
    text = "日本 😀"
    assert well_formed(text) is text


def test_special_tokens_are_taken_literally() -> None:
    assert list(split_special("a.*b", {".*": 7}, [".*"])) == ["a", 7, "b"]
    assert list(split_special("axxb", {".*": 7}, [".*"])) == ["axxb"]
