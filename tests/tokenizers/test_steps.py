"""The steps of files one by one: by hand, equal to `tokenizers` on every character, refused by name."""

import base64
import sys
import unicodedata
from typing import Any

import pytest
from tokenizers import decoders as their_decoders
from tokenizers import normalizers as theirs

from clearformer.tokenizers.added_tokens import AddedTokens
from clearformer.tokenizers.decoders import decoder
from clearformer.tokenizers.normalizers import normalizer
from clearformer.tokenizers.pre_tokenizers import pre_tokenizer
from clearformer.tokenizers.templates import template
from tests.tokenizers import charsmap

# Every assigned character, but few of the long blocks of Chinese and Korean.
LONG = [range(0x3400, 0xA000), range(0xAC00, 0xD7A4), range(0xE000, 0xF900), range(0x20000, sys.maxunicode + 1)]
CHARACTERS = [
    chr(i)
    for i in range(sys.maxunicode + 1)
    if unicodedata.category(chr(i)) not in ("Cn", "Cs") and (i % 97 == 0 or not any(i in block for block in LONG))
]
OFF = dict.fromkeys(["clean_text", "handle_chinese_chars", "strip_accents", "lowercase"], False)
# Unicode has grown: the two libraries may have different tables for what was added last.
GROWN = 600
# Letter or mark, control or not: these few have changed their category since.
RECLASSIFIED = "\u06dd\u070f\u1734\u1885\u1886"


def bert(**on: Any) -> dict[str, Any]:
    return {"type": "BertNormalizer", **OFF, **on}


STEPS: dict[str, tuple[dict[str, Any], theirs.Normalizer]] = {
    **{f"BERT {option}": (bert(**{option: True}), theirs.BertNormalizer(**OFF | {option: True})) for option in OFF},
    "Lowercase": ({"type": "Lowercase"}, theirs.Lowercase()),
    "NFC": ({"type": "NFC"}, theirs.NFC()),
    "NFKC": ({"type": "NFKC"}, theirs.NFKC()),
    "NFD": ({"type": "NFD"}, theirs.NFD()),
    "NFKD": ({"type": "NFKD"}, theirs.NFKD()),
    "Strip": ({"type": "Strip", "strip_left": True, "strip_right": True}, theirs.Strip()),
    "Strip left": ({"type": "Strip", "strip_left": True, "strip_right": False}, theirs.Strip(True, False)),
    "Prepend": ({"type": "Prepend", "prepend": "▁"}, theirs.Prepend("▁")),
    "Replace": ({"type": "Replace", "pattern": {"String": "a"}, "content": "bb"}, theirs.Replace("a", "bb")),
}


@pytest.mark.parametrize("name", STEPS)
def test_a_normalizer_equals_theirs_on_every_character(name: str) -> None:
    step, peer = STEPS[name]
    ours = normalizer(step)
    texts = [f"{character} a{character}" for character in CHARACTERS]
    different = [text for text in texts if ours(text) != peer.normalize_str(text)]
    old = [text for text in different if unicodedata.ucd_3_2_0.category(text[-1]) != "Cn"]
    assert len(different) < GROWN
    assert not [ascii(text) for text in old if text[-1] not in RECLASSIFIED]


def test_a_table_of_replacements_equals_theirs_on_every_character_and_cluster() -> None:
    table = charsmap.as_base64(charsmap.nfkc_with_blanks(0x3000))
    ours, peer = (
        normalizer({"type": "Precompiled", "precompiled_charsmap": table}),
        theirs.Precompiled(base64.b64decode(table)),
    )
    for text in (*CHARACTERS[:0x4000], "e\u0301", "ﬁ\u0301", "\r\n", "a\u0301\u0302\u0303", "", "½ cup\tＡ"):
        assert ours(text) == peer.normalize_str(text), ascii(text)


def test_a_last_sigma_is_like_any_other() -> None:
    assert normalizer({"type": "Lowercase"})("ΟΔΟΣ") == theirs.Lowercase().normalize_str("ΟΔΟΣ") == "οδοσ"


def test_accents_follow_the_case_unless_the_file_says_more() -> None:
    assert normalizer(bert(lowercase=True, strip_accents=None))("É") == "e"
    assert normalizer(bert(lowercase=False, strip_accents=None))("É") == "É"
    assert normalizer(bert(lowercase=True, strip_accents=False))("É") == "é"


@pytest.mark.parametrize(
    ("scheme", "first", "later"),
    [("always", ["▁a", "▁b"], ["▁a", "▁b"]), ("first", ["▁a", "▁b"], ["a", "▁b"]), ("never", ["a", "▁b"], ["a", "▁b"])],
)
def test_marks_by_hand(scheme: str, first: list[str], later: list[str]) -> None:
    cut = pre_tokenizer({"type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme})
    assert list(cut("a b", True)) == first
    assert list(cut("a b", False)) == later
    assert list(cut("", True)) == []
    assert list(cut(" a  b", True)) == ["▁a", "▁", "▁b"]


def test_a_mask_takes_the_blanks_before_it_and_no_others() -> None:
    mask = {"id": 4, "content": "<mask>", "lstrip": True, "special": True}
    added = AddedTokens([mask], str)
    assert list(added.split(" \n<mask> <mask>b ", ["<mask>"])) == [4, 4, ("b ", False)]
    assert list(added.split("a <mask>", [])) == [("a <mask>", True)]


def test_added_tokens_that_are_not_special_are_always_found_the_longest_first() -> None:
    records = [{"id": i, "content": content, "special": False} for i, content in enumerate(["ab", "abc"])]
    assert list(AddedTokens(records, str).split("abcab", [])) == [1, 0]


def test_normalized_tokens_are_found_in_the_normalized_text() -> None:
    records = [{"id": 7, "content": "Yes", "normalized": True, "rstrip": True}]
    assert list(AddedTokens(records, str.lower).split("oh yES no", [])) == [("oh ", True), 7, ("no", False)]


TOKENS = ["▁a", "<0xC3>", "<0xA9>", "<0xC3>", "b", "▁▁", "##c", "!", "▁", "<0x41>"]


@pytest.mark.parametrize(
    ("step", "peer"),
    [
        ({"type": "ByteFallback"}, their_decoders.ByteFallback()),
        ({"type": "Fuse"}, their_decoders.Fuse()),
        ({"type": "Strip", "content": "▁", "start": 1, "stop": 0}, their_decoders.Strip("▁", 1, 0)),
        ({"type": "Metaspace", "replacement": "▁"}, their_decoders.Metaspace()),
        ({"type": "Metaspace", "prepend_scheme": "never"}, their_decoders.Metaspace(prepend_scheme="never")),
        ({"type": "WordPiece", "prefix": "##", "cleanup": True}, their_decoders.WordPiece()),
        ({"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, their_decoders.Replace("▁", " ")),
    ],
)
def test_a_decoder_equals_theirs(step: dict[str, Any], peer: Any) -> None:
    for n in range(len(TOKENS) + 1):
        for tokens in (TOKENS[:n], TOKENS[::-1][:n]):
            assert "".join(decoder(step)(tokens)) == peer.decode(tokens)


ROBERTA = {"type": "RobertaProcessing", "cls": ["<s>", 0], "sep": ["</s>", 2], "trim_offsets": True}


def test_templates_by_hand() -> None:
    assert template(ROBERTA).fill([5], [6])[0] == [0, 5, 2, 2, 6, 2]
    assert template({"type": "Sequence", "processors": [{"type": "ByteLevel"}, ROBERTA]}) == template(ROBERTA)
    bert = template({"type": "BertProcessing", "cls": ["[CLS]", 1], "sep": ["[SEP]", 2]})
    assert bert.fill([5], [6]) == ([1, 5, 2, 6, 2], [0, 0, 0, 1, 1])
    assert bert.fill([], []) == ([1, 2, 2], [0, 0, 1])
    assert bert.bare.fill([5], [6]) == ([5, 6], [0, 1])


A = {"Sequence": {"id": "A", "type_id": 0}}
REFUSED = [
    (normalizer, {"type": "Nmt"}, "normalizer .*Nmt"),
    (normalizer, {"type": "Replace", "pattern": {"Regex": "("}, "content": ""}, "does not compile"),
    (normalizer, {"type": "Sequence", "normalizers": [{"type": "StripAccents"}]}, "StripAccents"),
    (normalizer, {"type": "Precompiled", "precompiled_charsmap": "AAAA"}, "3 bytes is too short"),
    (normalizer, {"type": "Precompiled", "precompiled_charsmap": "/////w=="}, "cannot hold a table of 4294967295"),
    (normalizer, {"type": "Precompiled", "precompiled_charsmap": "é"}, "not base64"),
    (pre_tokenizer, {"type": "Whitespace"}, "pre_tokenizer .*Whitespace"),
    (pre_tokenizer, {"type": "ByteLevel", "add_prefix_space": True}, "add_prefix_space"),
    (pre_tokenizer, {"type": "Metaspace", "prepend_scheme": "last"}, "last"),
    (pre_tokenizer, {"type": "Metaspace", "replacement": "__"}, "__"),
    (
        pre_tokenizer,
        {
            "type": "Sequence",
            "pretokenizers": [{"type": "BertPreTokenizer"}, {"type": "Metaspace", "prepend_scheme": "first"}],
        },
        "prepend_scheme",
    ),
    (template, {"type": "Sequence", "processors": [ROBERTA, ROBERTA]}, "post_processor"),
    (template, {"type": "TemplateProcessing", "single": [A], "pair": [A]}, "each of"),
    (
        template,
        {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "x", "type_id": 0}}], "pair": []},
        "'x'",
    ),
    (decoder, {"type": "CTC"}, "decoder .*CTC"),
]


@pytest.mark.parametrize(("make", "step", "named"), REFUSED)
def test_what_is_not_supported_is_refused_by_name(make: Any, step: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        make(step)
