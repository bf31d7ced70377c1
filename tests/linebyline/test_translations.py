"""Two translations by rule, against what was translated by hand, and what they refuse."""

import re

import pytest

from linebyline.corpora.translations import ENGLISH_SWEDISH, FRENCH_ENGLISH, Grammar

# A sentence = its translation, and below, for each word of the translation, the words that it comes from.
SWEDISH = """
# The documents' sentences.
Dan loves ice cream. = Dan älskar glass .
    Dan / loves / ice cream / .
Jane visits Africa in September. = Jane besöker Afrika i september .
    Jane / visits / Africa / in / September / .
# The verb comes second.
In September Jane visits Africa. = i september besöker Jane Afrika .
    in / September / visits / Jane / Africa / .
Tomorrow she will buy a car. = i morgon ska hon köpa en bil .
    tomorrow / tomorrow / will / she / buy / a / car / .
# Articles are endings, twice with an adjective.
Dan eats the ice cream. = Dan äter glassen .
    Dan / eats / the ice cream / .
We buy a red car. = vi köper en röd bil .
    we / buy / a / red / car / .
We buy a red house. = vi köper ett rött hus .
    we / buy / a / red / house / .
We buy the red car. = vi köper den röda bilen .
    we / buy / the / red / the car / .
We buy the small houses. = vi köper de små husen .
    we / buy / the / small / the houses / .
We buy my small house. = vi köper mitt lilla hus .
    we / buy / my / small / house / .
We buy these old books. = vi köper de här gamla böckerna .
    we / buy / these / these / old / books / .
# Negation: in a clause, after a first word, in a subclause; and no "do".
Dan does not love ice cream. = Dan älskar inte glass .
    Dan / does love / not / ice cream / .
Yesterday Dan did not sleep. = i går sov Dan inte .
    yesterday / yesterday / did sleep / Dan / not / .
They sing because Dan does not read an old letter. = de sjunger eftersom Dan inte läser något gammalt brev .
    they / sing / because / Dan / not / does read / an / old / letter / .
The king never drinks wine. = kungen dricker aldrig vin .
    the king / drinks / never / wine / .
# A particle stays behind.
Today Anna looks for the cat. = i dag letar Anna efter katten .
    today / today / looks / Anna / for / the cat / .
Anna does not look for Erik. = Anna letar inte efter Erik .
    Anna / does look / not / for / Erik / .
# "It" has the gender of what it stands for.
Dan reads the book because it is long. = Dan läser boken eftersom den är lång .
    Dan / reads / the book / because / it / is / long / .
Dan reads the letter because it is not long. = Dan läser brevet eftersom det inte är långt .
    Dan / reads / the letter / because / it / not / is / long / .
Jane and Paul bought a lamp yesterday because they were sad. = Jane och Paul köpte en lampa i går eftersom de var ledsna .
    Jane / and / Paul / bought / a / lamp / yesterday / yesterday / because / they / were / sad / .
# A tense that only the time shows.
I read the poem today. = jag läser dikten i dag .
    I / read / the poem / today / today / .
I read the poem last year. = jag läste dikten förra året .
    I / read / the poem / last / year / .
Our neighbours are always happy, but the museum is not famous. = våra grannar är alltid glada , men museet är inte berömt .
    our / neighbours / are / always / happy / , / but / the museum / is / not / famous / .
"""  # noqa: E501
ENGLISH = """
Jane visite l'Afrique en septembre. = Jane visits Africa in September .
    Jane / visite / l' Afrique / en / septembre / .
En septembre Jane visite l'Afrique. = in September Jane visits Africa .
    en / septembre / Jane / visite / l' Afrique / .
Dan aime la glace. = Dan loves ice cream .
    Dan / aime / la glace / la glace / .
Dan mange de la glace. = Dan eats ice cream .
    Dan / mange / de la glace / de la glace / .
Dan mange la glace. = Dan eats the ice cream .
    Dan / mange / la / glace / glace / .
# Elision.
J'achète de l'eau froide. = I buy cold water .
    j' / achète / froide / de l' eau / .
Je n'aime pas Paris. = I do not love Paris .
    je / n' aime / n' pas / aime / Paris / .
# Negation in two parts, which needs "do" but in the future and with "never".
Le roi ne boit pas de vin. = the king does not drink wine .
    le / roi / ne boit / ne pas / boit / de vin / .
Elle n'a pas dormi hier. = she did not sleep yesterday .
    elle / n' a / n' pas / dormi / hier / .
Elle ne dormira pas demain. = she will not sleep tomorrow .
    elle / dormira / ne pas / dormira / demain / .
Elle ne dort jamais. = she never sleeps .
    elle / ne jamais / dort / .
# Adjectives after the noun and before it, in its gender and number.
Nous achetons une voiture rouge. = we buy a red car .
    nous / achetons / une / rouge / voiture / .
Nous achetons un petit vélo blanc. = we buy a small white bicycle .
    nous / achetons / un / petit / blanc / vélo / .
Nous achetons de vieux livres. = we buy old books .
    nous / achetons / vieux / de livres / .
Nous achetons des livres intéressants. = we buy interesting books .
    nous / achetons / intéressants / des livres / .
Ce vieil homme aide mon ami. = this old man helps my friend .
    ce / vieil / homme / aide / mon / ami / .
Il voit ces beaux oiseaux. = he sees these beautiful birds .
    il / voit / ces / beaux / oiseaux / .
# One pronoun for people and things, two here.
Jane achète la lampe parce qu'elle est chère. = Jane buys the lamp because it is expensive .
    Jane / achète / la / lampe / parce qu' / elle / est / chère / .
Jane achète la lampe parce qu'elle est contente. = Jane buys the lamp because she is happy .
    Jane / achète / la / lampe / parce qu' / elle / est / contente / .
Paul lit les journaux parce qu'ils ne sont pas vieux. = Paul reads the newspapers because they are not old .
    Paul / lit / les / journaux / parce qu' / ils / sont / ne pas / vieux / .
# Times, places, and words that become two.
L'année dernière nous avons travaillé au Japon. = last year we worked in Japan .
    dernière / l' année / nous / avons travaillé / au / Japon / .
Lundi je chercherai l'oiseau. = on Monday I will look for the bird .
    lundi / lundi / je / chercherai / chercherai / chercherai / l' / oiseau / .
Sara chante souvent avec Lucas dans le jardin, mais elle ne danse pas. = Sara often sings with Lucas in the garden , but she does not dance .
    Sara / souvent / chante / avec / Lucas / dans / le / jardin / , / mais / elle / ne danse / ne pas / danse / .
"""  # noqa: E501


def cases(grammar: Grammar, table: str) -> list[tuple[Grammar, str, str, str]]:
    lines = [line for line in table.strip().splitlines() if not line.startswith("#")]
    return [
        (grammar, *said.split(" = "), origins.strip()) for said, origins in zip(lines[::2], lines[1::2], strict=True)
    ]


@pytest.mark.parametrize(
    ("grammar", "text", "translation", "origins"), cases(ENGLISH_SWEDISH, SWEDISH) + cases(FRENCH_ENGLISH, ENGLISH)
)
def test_by_hand(grammar: Grammar, text: str, translation: str, origins: str) -> None:
    pair = grammar.translate(text)
    assert " ".join(pair.target) == translation
    assert " / ".join(" ".join(pair.source[i] for i in places) for places in pair.alignment) == origins


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
def test_words_that_are_not_a_sentence_are_refused(grammar: Grammar, text: str) -> None:
    with pytest.raises(ValueError, match=re.escape(f"{text!r} is not a sentence of the grammar {grammar.name}")):
        grammar.translate(text)


def test_other_apostrophes_are_read() -> None:
    assert FRENCH_ENGLISH.translate("Aujourd’hui Jane visite l’Afrique").target[1:4] == ("Jane", "visits", "Africa")
