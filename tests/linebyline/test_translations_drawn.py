"""Drawn sentences have one translation, every word is accounted for, and what is validated on is new."""

import hashlib
import random
import re
import unicodedata
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linebyline.corpora.translations import (
    ENGLISH_SWEDISH,
    FRENCH_ENGLISH,
    Grammar,
    Pair,
    Split,
    is_held_out,
    translation_split,
)
from tests.few import few

GRAMMARS = [ENGLISH_SWEDISH, FRENCH_ENGLISH]
both = pytest.mark.parametrize("grammar", GRAMMARS, ids=lambda grammar: grammar.name)
N_DRAWN = 30_000
LINKS = {"and", "but", "because", "et", "mais", "parce"}
NOT_PRESENT = {"last", "yesterday", "next", "tomorrow", "on", "dernier", "dernière", "hier"}
NOT_PRESENT |= {"prochain", "prochaine", "demain", "lundi", "vendredi"}
# The hash of what seed 7 draws.
DRAWN = {"English to Swedish": "dd045068091c7a70", "French to English": "01fdf8cc63aaebad"}


@pytest.fixture(scope="module", params=GRAMMARS, ids=lambda grammar: grammar.name)
def drawn(request: pytest.FixtureRequest) -> tuple[Grammar, list[Pair]]:
    generator = random.Random(0)
    return request.param, [request.param.draw(generator) for _ in range(N_DRAWN)]


@pytest.mark.slow
def test_a_sentence_has_one_translation(drawn: tuple[Grammar, list[Pair]]) -> None:
    first: dict[tuple[str, ...], Pair] = {}
    repeated = [pair for pair in drawn[1] if first.setdefault(pair.source, pair) is not pair]
    assert len(repeated) > 300
    assert all(pair == first[pair.source] for pair in repeated)


@pytest.mark.slow
def test_every_word_is_accounted_for(drawn: tuple[Grammar, list[Pair]]) -> None:
    for pair in drawn[1]:
        assert len(pair.alignment) == len(pair.target)
        assert all(places and list(places) == sorted(set(places)) for places in pair.alignment)
        assert {place for places in pair.alignment for place in places} == set(range(len(pair.source)))


@pytest.mark.slow
def test_the_vocabularies_are_what_is_said(drawn: tuple[Grammar, list[Pair]]) -> None:
    grammar, pairs = drawn
    for language, sentences in (
        (grammar.source, (pair.source for pair in pairs)),
        (grammar.target, (pair.target for pair in pairs)),
    ):
        assert set(language.vocabulary) == {word for sentence in sentences for word in sentence}
        assert list(language.vocabulary) == sorted(set(language.vocabulary))
        assert 250 < len(language.vocabulary) < 550


@pytest.mark.slow
def test_text_becomes_words_and_text_again(drawn: tuple[Grammar, list[Pair]]) -> None:
    grammar, pairs = drawn
    for pair in pairs[:5_000]:
        for language, words in ((grammar.source, pair.source), (grammar.target, pair.target)):
            text = language.detokenize(words)
            assert language.tokenize(text) == words
            apart = unicodedata.normalize("NFD", text).replace("'", "’")  # as some keyboards send it
            assert language.tokenize(apart) == words
            assert re.fullmatch(r"[^\W\d_a-z][\w' ]*(, \w[\w' ]*)?\.", text), text


@pytest.mark.slow
def test_lengths_vary(drawn: tuple[Grammar, list[Pair]]) -> None:
    lengths = Counter(len(pair.source) for pair in drawn[1])
    assert min(lengths) == 3
    assert all(lengths[length] > 0.01 * N_DRAWN for length in range(4, 20))
    assert sum(n for length, n in lengths.items() if length > 22) < 0.05 * N_DRAWN


@both
@few
@given(seed=st.integers(0, 2**32))
def test_what_is_drawn_is_read(grammar: Grammar, seed: int) -> None:
    """However a sentence is understood, it has the translation that it was drawn with."""
    pair = grammar.draw(random.Random(seed))
    readings = list(grammar.readings(pair.source))
    assert readings
    assert all(reading == pair for reading in readings)


@both
def test_drawing_is_the_same_everywhere(grammar: Grammar) -> None:
    generator = random.Random(7)
    text = "\n".join(repr(grammar.draw(generator)) for _ in range(2_000))
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == DRAWN[grammar.name]


@pytest.mark.slow
def test_millions_of_sentences(drawn: tuple[Grammar, list[Pair]]) -> None:
    """Any two clauses in the present make a sentence with "but", which can be split in one way only."""
    grammar, pairs = drawn
    clauses = {pair.source[:-1] for pair in pairs if not (LINKS | NOT_PRESENT) & set(pair.source)}
    assert len(clauses) ** 2 > 10**6
    but = "but" if grammar is ENGLISH_SWEDISH else "mais"
    untimed = sorted(clause for clause in clauses if len(clause) <= 5 and clause[-1] not in {"today", "aujourd'hui"})
    generator = random.Random(1)
    for _ in range(30):
        words = (*generator.choice(sorted(clauses)), ",", but, *generator.choice(untimed), ".")
        assert grammar.translate(grammar.source.detokenize(words)).source == words


@pytest.fixture(scope="module", params=GRAMMARS, ids=lambda grammar: grammar.name)
def split(request: pytest.FixtureRequest) -> Split:
    return translation_split(request.param, 20_000, 2_000, seed=3)


def test_no_sentence_is_in_two_parts(split: Split) -> None:
    assert [len(part) for part in split] == [20_000, 2_000, 2_000]
    assert len({pair.source for part in split for pair in part}) == 24_000


def test_a_combination_held_out_is_in_no_training_sentence(split: Split) -> None:
    for part in (split.train, split.unseen_sentences):
        assert not any(is_held_out(combination) for pair in part for combination in pair.combinations)
    assert all(any(map(is_held_out, pair.combinations)) for pair in split.unseen_combinations)


def test_what_is_held_out_is_known_in_other_company(split: Split) -> None:
    known = Counter(combination for pair in split.train for combination in pair.combinations)
    new = {c for pair in split.unseen_combinations for c in pair.combinations if is_held_out(c)}
    assert 0.05 < len(new) / (len(new) + len(known)) < 0.15
    for place in (0, 1):
        times: Counter[str] = Counter()
        for combination, n in known.items():
            times[combination[place]] += n
        assert min(times[combination[place]] for combination in new) >= 25


def test_a_split_follows_from_its_seed_and_more_training_leaves_its_validation() -> None:
    less = translation_split(ENGLISH_SWEDISH, 500, 20, seed=3)
    more = translation_split(ENGLISH_SWEDISH, 700, 20, seed=3)
    assert more.train[:500] == less.train
    assert more[1:] == less[1:]
    assert less.train != translation_split(ENGLISH_SWEDISH, 500, 20, seed=2).train


def test_sentences_to_validate_on_are_new_to_every_training() -> None:
    unseen = {pair.source for pair in translation_split(FRENCH_ENGLISH, 0, 500, seed=1).unseen_sentences}
    assert len(unseen) == 500
    assert unseen.isdisjoint(pair.source for pair in translation_split(FRENCH_ENGLISH, 5000, 0, seed=2).train)
