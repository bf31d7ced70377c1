"""tokenization.doubling: how many merges it takes until a word of equal letters is one token."""

from clearformer.tokenizers import BPETokenizer
from linebyline.exercises.core import Predict, Rng

LETTERS = 16


def _merges(rng: Rng) -> float:
    word = rng.choice(list("abcxyz")) * LETTERS
    return len(BPETokenizer.train(word, vocab_size=10_000).merges)


EXERCISE = Predict(
    id="tokenization.doubling",
    title="One letter, again and again",
    difficulty="easy",
    points=1,
    minutes=5,
    may_use="pen and paper",
    asks=("merges",),
    compute=_merges,
    within=0.05,
    wrong_answers={
        "This would add one letter with each merge. A merge joins its pair everywhere in the word.": LETTERS - 1,
        "That many pairs the first merge joins, all at once. How many tokens are left then?": LETTERS // 2,
        "This counts the tokens learnt and the single letter, which no merge made.": 5,
        "The first merge leaves a word of equal tokens, half as many. Then there is a pair again.": 1,
        "A merge of one pair makes one new token, however often the pair occurs.": LETTERS,
    },
)
