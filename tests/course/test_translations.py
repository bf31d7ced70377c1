"""Two translations by rule: right by hand, one meaning for each sentence, every word accounted for."""

import hashlib
import random
import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clearformer.course.corpora.translations import (
    ENGLISH_SWEDISH,
    FRENCH_ENGLISH,
    Grammar,
    Pair,
    Split,
    is_held_out,
    translation_split,
)

GRAMMARS = [ENGLISH_SWEDISH, FRENCH_ENGLISH]
both = pytest.mark.parametrize("grammar", GRAMMARS, ids=lambda grammar: grammar.name)
N_DRAWN = 200_000
LINKS = {"and", "but", "because", "et", "mais", "parce"}
NOT_PRESENT = {"last", "yesterday", "next", "tomorrow", "on", "dernier", "dernière", "hier"}
NOT_PRESENT |= {"prochain", "prochaine", "demain", "lundi", "vendredi"}
# The hash of what seed 7 draws.
DRAWN = {"English to Swedish": "dd045068091c7a70", "French to English": "01fdf8cc63aaebad"}

# A sentence, its translation word by word, and for each word of the translation the words it comes from.
SWEDISH = [
    # The documents' sentences.
    ("Dan loves ice cream.", "Dan älskar glass .", "Dan / loves / ice cream / ."),
    (
        "Jane visits Africa in September.",
        "Jane besöker Afrika i september .",
        "Jane / visits / Africa / in / September / .",
    ),
    # The verb comes second.
    (
        "In September Jane visits Africa.",
        "i september besöker Jane Afrika .",
        "in / September / visits / Jane / Africa / .",
    ),
    (
        "Tomorrow she will buy a car.",
        "i morgon ska hon köpa en bil .",
        "tomorrow / tomorrow / will / she / buy / a / car / .",
    ),
    # Articles are endings, twice with an adjective.
    ("Dan eats the ice cream.", "Dan äter glassen .", "Dan / eats / the ice cream / ."),
    ("We buy a red car.", "vi köper en röd bil .", "we / buy / a / red / car / ."),
    ("We buy a red house.", "vi köper ett rött hus .", "we / buy / a / red / house / ."),
    ("We buy the red car.", "vi köper den röda bilen .", "we / buy / the / red / the car / ."),
    ("We buy the small houses.", "vi köper de små husen .", "we / buy / the / small / the houses / ."),
    ("We buy my small house.", "vi köper mitt lilla hus .", "we / buy / my / small / house / ."),
    ("We buy these old books.", "vi köper de här gamla böckerna .", "we / buy / these / these / old / books / ."),
    # Negation: in a clause, after a first word, in a subclause; and no "do".
    ("Dan does not love ice cream.", "Dan älskar inte glass .", "Dan / does love / not / ice cream / ."),
    ("Yesterday Dan did not sleep.", "i går sov Dan inte .", "yesterday / yesterday / did sleep / Dan / not / ."),
    (
        "They sing because Dan does not read an old letter.",
        "de sjunger eftersom Dan inte läser något gammalt brev .",
        "they / sing / because / Dan / not / does read / an / old / letter / .",
    ),
    ("The king never drinks wine.", "kungen dricker aldrig vin .", "the king / drinks / never / wine / ."),
    # A particle stays behind.
    (
        "Today Anna looks for the cat.",
        "i dag letar Anna efter katten .",
        "today / today / looks / Anna / for / the cat / .",
    ),
    ("Anna does not look for Erik.", "Anna letar inte efter Erik .", "Anna / does look / not / for / Erik / ."),
    # "It" has the gender of what it stands for.
    (
        "Dan reads the book because it is long.",
        "Dan läser boken eftersom den är lång .",
        "Dan / reads / the book / because / it / is / long / .",
    ),
    (
        "Dan reads the letter because it is not long.",
        "Dan läser brevet eftersom det inte är långt .",
        "Dan / reads / the letter / because / it / not / is / long / .",
    ),
    (
        "Jane and Paul bought a lamp yesterday because they were sad.",
        "Jane och Paul köpte en lampa i går eftersom de var ledsna .",
        "Jane / and / Paul / bought / a / lamp / yesterday / yesterday / because / they / were / sad / .",
    ),
    # A tense that only the time shows.
    ("I read the poem today.", "jag läser dikten i dag .", "I / read / the poem / today / today / ."),
    ("I read the poem last year.", "jag läste dikten förra året .", "I / read / the poem / last / year / ."),
    (
        "Our neighbours are always happy, but the museum is not famous.",
        "våra grannar är alltid glada , men museet är inte berömt .",
        "our / neighbours / are / always / happy / , / but / the museum / is / not / famous / .",
    ),
]
ENGLISH = [
    (
        "Jane visite l'Afrique en septembre.",
        "Jane visits Africa in September .",
        "Jane / visite / l' Afrique / en / septembre / .",
    ),
    (
        "En septembre Jane visite l'Afrique.",
        "in September Jane visits Africa .",
        "en / septembre / Jane / visite / l' Afrique / .",
    ),
    ("Dan aime la glace.", "Dan loves ice cream .", "Dan / aime / la glace / la glace / ."),
    ("Dan mange de la glace.", "Dan eats ice cream .", "Dan / mange / de la glace / de la glace / ."),
    ("Dan mange la glace.", "Dan eats the ice cream .", "Dan / mange / la / glace / glace / ."),
    # Elision.
    ("J'achète de l'eau froide.", "I buy cold water .", "j' / achète / froide / de l' eau / ."),
    ("Je n'aime pas Paris.", "I do not love Paris .", "je / n' aime / n' pas / aime / Paris / ."),
    # Negation in two parts, which needs "do" but in the future and with "never".
    (
        "Le roi ne boit pas de vin.",
        "the king does not drink wine .",
        "le / roi / ne boit / ne pas / boit / de vin / .",
    ),
    ("Elle n'a pas dormi hier.", "she did not sleep yesterday .", "elle / n' a / n' pas / dormi / hier / ."),
    ("Elle ne dormira pas demain.", "she will not sleep tomorrow .", "elle / dormira / ne pas / dormira / demain / ."),
    ("Elle ne dort jamais.", "she never sleeps .", "elle / ne jamais / dort / ."),
    # Adjectives after the noun and before it, in its gender and number.
    ("Nous achetons une voiture rouge.", "we buy a red car .", "nous / achetons / une / rouge / voiture / ."),
    (
        "Nous achetons un petit vélo blanc.",
        "we buy a small white bicycle .",
        "nous / achetons / un / petit / blanc / vélo / .",
    ),
    ("Nous achetons de vieux livres.", "we buy old books .", "nous / achetons / vieux / de livres / ."),
    (
        "Nous achetons des livres intéressants.",
        "we buy interesting books .",
        "nous / achetons / intéressants / des livres / .",
    ),
    ("Ce vieil homme aide mon ami.", "this old man helps my friend .", "ce / vieil / homme / aide / mon / ami / ."),
    ("Il voit ces beaux oiseaux.", "he sees these beautiful birds .", "il / voit / ces / beaux / oiseaux / ."),
    # One pronoun for people and things, two here.
    (
        "Jane achète la lampe parce qu'elle est chère.",
        "Jane buys the lamp because it is expensive .",
        "Jane / achète / la / lampe / parce qu' / elle / est / chère / .",
    ),
    (
        "Jane achète la lampe parce qu'elle est contente.",
        "Jane buys the lamp because she is happy .",
        "Jane / achète / la / lampe / parce qu' / elle / est / contente / .",
    ),
    (
        "Paul lit les journaux parce qu'ils ne sont pas vieux.",
        "Paul reads the newspapers because they are not old .",
        "Paul / lit / les / journaux / parce qu' / ils / sont / ne pas / vieux / .",
    ),
    # Times, places, and words that become two.
    (
        "L'année dernière nous avons travaillé au Japon.",
        "last year we worked in Japan .",
        "dernière / l' année / nous / avons travaillé / au / Japon / .",
    ),
    (
        "Lundi je chercherai l'oiseau.",
        "on Monday I will look for the bird .",
        "lundi / lundi / je / chercherai / chercherai / chercherai / l' / oiseau / .",
    ),
    (
        "Sara chante souvent avec Lucas dans le jardin, mais elle ne danse pas.",
        "Sara often sings with Lucas in the garden , but she does not dance .",
        "Sara / souvent / chante / avec / Lucas / dans / le / jardin / , / mais / elle / ne danse / ne pas / danse / .",
    ),
]


@pytest.mark.parametrize(
    ("grammar", "text", "translation", "origins"),
    [(ENGLISH_SWEDISH, *case) for case in SWEDISH] + [(FRENCH_ENGLISH, *case) for case in ENGLISH],
)
def test_by_hand(grammar: Grammar, text: str, translation: str, origins: str) -> None:
    pair = grammar.translate(text)
    assert " ".join(pair.target) == translation
    assert " / ".join(" ".join(pair.source[i] for i in places) for places in pair.alignment) == origins


@pytest.fixture(scope="module", params=GRAMMARS, ids=lambda grammar: grammar.name)
def drawn(request: pytest.FixtureRequest) -> tuple[Grammar, list[Pair]]:
    generator = random.Random(0)
    return request.param, [request.param.draw(generator) for _ in range(N_DRAWN)]


@pytest.mark.slow
def test_a_sentence_has_one_translation(drawn: tuple[Grammar, list[Pair]]) -> None:
    first: dict[tuple[str, ...], Pair] = {}
    repeated = [pair for pair in drawn[1] if first.setdefault(pair.source, pair) is not pair]
    assert len(repeated) > 1_000
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
    for pair in pairs[:20_000]:
        for language, words in ((grammar.source, pair.source), (grammar.target, pair.target)):
            text = language.detokenize(words)
            assert language.tokenize(text) == words
            assert re.fullmatch(r"[^\W\d_a-z][\w' ]*(, \w[\w' ]*)?\.", text), text


@pytest.mark.slow
def test_lengths_vary(drawn: tuple[Grammar, list[Pair]]) -> None:
    lengths = Counter(len(pair.source) for pair in drawn[1])
    assert min(lengths) == 3
    assert all(lengths[length] > 0.01 * N_DRAWN for length in range(4, 20))
    assert sum(n for length, n in lengths.items() if length > 22) < 0.05 * N_DRAWN


@both
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
    """Any two clauses in the present make a sentence with "but", and it can be parted in one way only."""
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


def test_a_split_follows_from_its_seed() -> None:
    split = translation_split(FRENCH_ENGLISH, 100, 10, seed=1)
    assert split == translation_split(FRENCH_ENGLISH, 100, 10, seed=1)
    assert split.train != translation_split(FRENCH_ENGLISH, 100, 10, seed=2).train


def test_more_training_leaves_what_is_validated_on() -> None:
    less = translation_split(ENGLISH_SWEDISH, 500, 20, seed=3)
    more = translation_split(ENGLISH_SWEDISH, 700, 20, seed=3)
    assert more.train[:500] == less.train
    assert more[1:] == less[1:]


@pytest.mark.parametrize(("n_train", "n_validation"), [(0, 5), (5, 0), (-1, 5)])
def test_an_empty_part_is_refused(n_train: int, n_validation: int) -> None:
    with pytest.raises(ValueError, match=f"n_train={n_train} and n_validation={n_validation} must be positive"):
        translation_split(ENGLISH_SWEDISH, n_train, n_validation, seed=0)


@pytest.mark.parametrize(
    ("grammar", "text", "unknown"),
    [
        (ENGLISH_SWEDISH, "Dan loves icecream", "English vocabulary does not have 'icecream'"),
        (ENGLISH_SWEDISH, "Dan älskar glass.", "English vocabulary does not have 'älskar', 'glass'"),
        (FRENCH_ENGLISH, "Dan n'aime pas ça!", "French vocabulary does not have 'ça', '!'"),
    ],
)
def test_an_unknown_word_is_named(grammar: Grammar, text: str, unknown: str) -> None:
    with pytest.raises(ValueError, match=re.escape(unknown)):
        grammar.translate(text)


@pytest.mark.parametrize(
    ("grammar", "text"),
    [
        (ENGLISH_SWEDISH, ""),
        (ENGLISH_SWEDISH, "Dan loves."),
        (ENGLISH_SWEDISH, "Dan love ice cream."),
        (ENGLISH_SWEDISH, "Dan eats a book."),
        (ENGLISH_SWEDISH, "We buy a old car."),
        (ENGLISH_SWEDISH, "Dan sleeps. Jane sleeps."),
        (ENGLISH_SWEDISH, "I read the poem tomorrow."),
        (FRENCH_ENGLISH, "Jane visite Afrique."),
        (FRENCH_ENGLISH, "Nous achetons une voiture rouges."),
        (FRENCH_ENGLISH, "Nous achetons une rouge voiture."),
        (FRENCH_ENGLISH, "Elle dort pas."),
        # Who is old, the car or Jane?
        (FRENCH_ENGLISH, "Jane achète la voiture parce qu'elle est vieille."),
    ],
)
def test_what_is_no_sentence_is_refused(grammar: Grammar, text: str) -> None:
    with pytest.raises(ValueError, match=re.escape(f"{text!r} is no sentence of the grammar {grammar.name}")):
        grammar.translate(text)


def test_other_apostrophes_are_read() -> None:
    assert FRENCH_ENGLISH.translate("Aujourd’hui Jane visite l’Afrique").target[1:4] == ("Jane", "visits", "Africa")
