"""Claims on byte-pair encoding: the loop of counting and merging."""

import sys
from collections import Counter
from itertools import pairwise

from clearformer.tokenizers import BPETokenizer
from linebyline.claims.declare import claim, corrected, depends, holds

_TEXT = (
    "Dan loves icecream, and the cream he loves is iced. When he dreams of ice, the dream is creamy; "
    "when he wakes, the ice of the dream is gone, and he goes and buys one more of the ones he loves."
)
_WORDS = r"\p{L}+|[^\p{L}]"
_EVERYTHING = r"[\s\S]+"
Pair = tuple[str, str]


def _by_the_list(n_merges: int, *, last: bool = False) -> tuple[list[Pair], int]:
    """Merges by the steps as listed, for words of letters; and in how many steps the best pair was not alone."""
    words = [list(word) for word in "".join(c if c.isalpha() else " " for c in _TEXT).split()]
    number = {letter: i for i, letter in enumerate(sorted({letter for word in words for letter in word}))}
    merges: list[Pair] = []
    ties = 0
    for _ in range(n_merges):
        counts = Counter(pair for word in words for pair in pairwise(word))
        top = sorted((p for p in counts if counts[p] == max(counts.values())), key=lambda p: [number[t] for t in p])
        ties += len(top) > 1
        merges.append(top[-1 if last else 0])
        number.setdefault("".join(merges[-1]), len(number))
        for word in words:
            i = 0
            while i + 1 < len(word):
                if (word[i], word[i + 1]) == merges[-1]:
                    word[i : i + 2] = ["".join(merges[-1])]
                i += 1
    return merges, ties


@claim("004.bpe-characters", "sec-bpe", "Byte-pair encoding starts from single characters.")
@depends("In its first form for words, yes; since GPT-2 it usually starts from bytes, and nothing is unknown.")
def _bytes() -> str:
    return f"256 bytes spell all {sys.maxunicode + 1:,} code points; the text here has {len(set(_TEXT))} characters"


@claim("004.bpe-loop", "sec-bpe", "Count pairs, merge the most frequent, replace it everywhere, update, repeat.")
@holds("These steps, with a rule for words and one for ties, are the algorithm.")
def _loop() -> str:
    listed, _ = _by_the_list(30)
    package = BPETokenizer.train(_TEXT, 256 + 30, pattern=_WORDS).merges
    equal = sum((a.encode(), b.encode()) == pair for (a, b), pair in zip(listed, package, strict=True))
    return f"{equal} of 30 merges are those of the package"


@claim("004.bpe-every-pair", "sec-bpe", "Every pair of adjacent symbols is counted.")
@corrected("Every pair inside a word: text is cut into pre-tokens first, and no merge crosses their ends.")
def _across() -> str:
    def across(pattern: str) -> int:
        merges = BPETokenizer.train(_TEXT, 256 + 30, pattern=pattern).merges
        return sum(b" " in (left + right)[1:] for left, right in merges)

    return f"30 merges: {across(_EVERYTHING)} tokens reach across a blank without pre-tokens, {across(_WORDS)} with"


@claim("004.bpe-most-frequent", "sec-bpe", "The most frequent pair is merged.")
@depends("If there is one. Ties are common, and the rule for them is part of the algorithm.")
def _ties() -> str:
    first, ties = _by_the_list(30)
    last, _ = _by_the_list(30, last=True)
    differ = len({"".join(pair) for pair in first} - {"".join(pair) for pair in last})
    return f"a tie in {ties} of 30 merges; settled the other way, {differ} of 30 tokens are different"


@claim("004.bpe-until-full", "sec-bpe", "The loop goes on until the vocabulary has its size.")
@depends("Or until no pair is left.")
def _runs_out() -> str:
    return f"asked for 10,000 tokens, a text of the word abc gives {BPETokenizer.train('abc', 10_000).vocab_size}"
