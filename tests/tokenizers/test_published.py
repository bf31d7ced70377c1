"""Published kinds of files: ids, segments and text equal those of `tokenizers`, for each kind, on 10,000 strings."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import tokenizers

from clearformer.tokenizers import load
from linebyline.corpora import docstrings_split
from tests.tokenizers import peers, published

N_STRINGS = 10_000
ALPHABETS = [
    "ab",
    "aeinorst ",
    "=-_ \n\t\r.,'!?",
    "0123456789 ",
    "".join(map(chr, range(0x250))),
    "日本語のテキスト 。한국어中文 ",
    "e\u0301a\u0308ﬁ½ＡＢ①\u200b\xa0▁ ΟΔΟΣσςé",
    "🍦👩\u200d🍳🇸🇪 x",
    "नमस्ते สวัสดี שלום مرحبا ",
]
SPOKEN = ["it's", " don't", " 've", "<0x41>", " cauliflower", " Zebra", "[UNK", "▁", " do not n't 's", "  ", "\n"]


class Kind(NamedTuple):
    theirs: tokenizers.Tokenizer
    ours: Any
    path: Path


@pytest.fixture(scope="module")
def text() -> str:
    return docstrings_split()[0][:300_000] + " été, 日本語 ΟΔΟΣ ½ ▁ ▁▁ naïve " * 20


@pytest.fixture(scope="module", params=published.KINDS)
def kind(request: pytest.FixtureRequest, text: str, tmp_path_factory: pytest.TempPathFactory) -> Kind:
    theirs = published.KINDS[request.param](text)
    path = tmp_path_factory.mktemp("published") / "tokenizer.json"
    theirs.save(str(path))
    return Kind(theirs, load(path), path)


def strings(text: str, special: list[str]) -> Iterator[str]:
    """Lines of real text, random strings, and both with special tokens and words of interest in them."""
    rng = random.Random(0)
    for i in range(N_STRINGS):
        start = rng.randrange(len(text))
        parts = [
            text[start : start + rng.randrange(120)] if rng.random() < 0.4 else "".join(rng.choices(alphabet, k=9))
            for alphabet in rng.choices(ALPHABETS, k=rng.randrange(4))
        ]
        if i % 2:
            parts.insert(rng.randrange(len(parts) + 1), rng.choice(special + SPOKEN))
            parts.insert(rng.randrange(len(parts) + 1), rng.choice(special + SPOKEN))
        yield "".join(parts)


@pytest.fixture(scope="module")
def asked(kind: Kind, text: str) -> list[str]:
    return list(strings(text, list(kind.ours.special_tokens)))


def differing(asked: list[Any], ours: list[Any], theirs: list[Any]) -> list[Any]:
    """The first strings that differ, with what came out."""
    return [case for case in zip(asked, ours, theirs, strict=True) if case[1] != case[2]][:3]


def test_ids_with_special_tokens_equal(kind: Kind, asked: list[str]) -> None:
    theirs = [each.ids for each in kind.theirs.encode_batch(asked)]
    allowed = list(kind.ours.special_tokens)
    ours = [kind.ours.encode(each, allowed_special=allowed, add_special=True) for each in asked]
    assert len(asked) == N_STRINGS
    assert not differing(asked, ours, theirs)


def test_ids_of_plain_text_equal_and_none_is_special(kind: Kind, asked: list[str]) -> None:
    special = set(kind.ours.special_tokens)
    ids = {each: kind.ours.encode(each) for each in asked}
    plain = [each for each in asked if not any(token in each for token in special)]
    theirs = [each.ids for each in kind.theirs.encode_batch(plain, add_special_tokens=False)]
    assert len(plain) > N_STRINGS / 2
    assert not differing(plain, [ids[each] for each in plain], theirs)
    unknown = {kind.ours.special_tokens.get(token) for token in ("<unk>", "[UNK]")}
    may_not = set(kind.ours.special_tokens.values()) - unknown
    assert not any(may_not & set(each) for each in ids.values())


def test_pairs_and_segments_equal(kind: Kind, asked: list[str]) -> None:
    pairs = list(zip(asked[:4_000:2], asked[1:4_000:2], strict=True))
    allowed = list(kind.ours.special_tokens)
    for add_special in (True, False):
        theirs = kind.theirs.encode_batch(pairs, add_special_tokens=add_special)
        ours = [
            kind.ours.encode_with_segments(a, b, allowed_special=allowed, add_special=add_special) for a, b in pairs
        ]
        assert not differing(pairs, [ids for ids, _ in ours], [each.ids for each in theirs])
        if add_special:
            assert not differing(pairs, [segments for _, segments in ours], [each.type_ids for each in theirs])


def test_decoded_text_equals(kind: Kind, asked: list[str]) -> None:
    rng, size = random.Random(1), kind.theirs.get_vocab_size()
    drawn = [rng.choices(range(size), k=rng.randrange(12)) for _ in range(2_000)]
    ids = drawn + [kind.ours.encode(each, add_special=True) for each in asked[:4_000]]
    theirs = kind.theirs.decode_batch(ids, skip_special_tokens=False)
    assert not differing(ids, [kind.ours.decode(each) for each in ids], theirs)
    assert isinstance(kind.ours.decode([10**9, -1]), str)


def test_saved_again_it_is_the_same_file_to_both(kind: Kind, asked: list[str], tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    kind.ours.save(path)
    theirs, ours = tokenizers.Tokenizer.from_file(str(path)), load(path)
    before, after = peers.as_json(kind.theirs), peers.as_json(theirs)
    for part in ("normalizer", "pre_tokenizer", "post_processor", "decoder", "added_tokens"):
        assert before[part] == after[part], part
    assert type(ours) is type(kind.ours)
    for each in asked[:500]:
        assert ours.encode(each, add_special=True) == kind.ours.encode(each, add_special=True)
        assert theirs.encode(each).ids == kind.theirs.encode(each).ids
