"""Unigram: the most probable segmentation of each word, found by Viterbi's algorithm."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from math import inf
from typing import Any, Self

import regex

from clearformer.tokenizers.base import WordTokenizer
from clearformer.tokenizers.special import number_special_tokens, well_formed

MARK = "\N{LOWER ONE EIGHTH BLOCK}"
UNKNOWN = "<unk>"
_WORD = regex.compile(rf"{MARK}[^\p{{White_Space}}{MARK}]*|[^\p{{White_Space}}{MARK}]+")
UNKNOWN_PENALTY = 10.0
"""How far the log-probability of an unknown character is below that of the least probable piece."""

_METASPACE = {"type": "Metaspace", "replacement": MARK, "prepend_scheme": "always", "split": True}
_STEPS = {
    "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, _METASPACE]},
    "decoder": _METASPACE,
}


def _words(text: str) -> list[str]:
    """The words of a text, each with the mark in front of it; a mark inside a word begins another."""
    return [word if word[0] == MARK else MARK + word for word in _WORD.findall(text)]


class UnigramTokenizer(WordTokenizer):
    """Pieces with probabilities, as in T5 and SentencePiece: a word is split into its most probable pieces.

    The probability of a segmentation is the product of its pieces' probabilities. Text is split at white space,
    and each word begins with the mark ``▁`` (U+2581). Decoding returns the words with one space between them.

    The position of a piece is its id. Special tokens among the pieces are never found in plain text; ``<unk>`` must be
    one of them, and replaces adjacent characters that no piece spells. A piece that is used twice is a ValueError.

    Source: Kudo (2018); Kudo and Richardson (2018) for the mark.

    Example:
        >>> pieces = [("<unk>", 0.0), ("▁ice", -2.0), ("▁icec", -3.0), ("cream", -3.0), ("ream", -4.0)]
        >>> tokenizer = UnigramTokenizer(pieces, {"<unk>": 0})
        >>> tokenizer.encode("icecream")  # -2 - 3 is more than -3 - 4
        [1, 3]
        >>> tokenizer.decode([1, 3, 1])
        'icecream ice'
    """

    vocab: dict[str, int]
    _model_type = "Unigram"
    _split = staticmethod(_words)
    _steps = _STEPS

    def __init__(self, pieces: Sequence[tuple[str, float]], special_tokens: Mapping[str, int]) -> None:
        if UNKNOWN not in special_tokens:
            raise ValueError(f"the special tokens {list(special_tokens)} lack {UNKNOWN!r}")
        vocab = {piece: i for i, (piece, _) in enumerate(pieces) if piece not in special_tokens}
        super().__init__(vocab, special_tokens)
        self.pieces = dict(pieces)
        if len(self.pieces) < len(pieces):
            raise ValueError(f"{len(pieces)} pieces have {len(self.pieces)} spellings")
        self.scores = {piece: score for piece, score in pieces if piece in self.vocab}
        self._unknown_score = min(self.pieces.values(), default=0.0) - UNKNOWN_PENALTY
        self._longest = max(map(len, self.vocab), default=1)

    @classmethod
    def train(cls, text: str, vocab_size: int, *, special_tokens: Sequence[str] = (UNKNOWN,)) -> "UnigramTokenizer":
        """Learn pieces and their probabilities from a text.

        Special tokens get the first ids; ``<unk>`` is put first if it is not among them. A text with too few substrings
        gives fewer tokens. Other arguments and errors as for ``BPETokenizer.train``.

        Example:
            >>> tokenizer = UnigramTokenizer.train("ice icecream cream dream " * 9, 14)
            >>> tokenizer.best_segmentation("▁iced")
            ['▁ice', 'd']
        """
        from clearformer.tokenizers.unigram_training import learn_pieces

        special = number_special_tokens(special_tokens, needed=UNKNOWN)
        words = Counter(_words(well_formed(text)))
        learned = learn_pieces(words, vocab_size - len(special), forbidden=special)
        pieces = [*((token, 0.0) for token in special), *learned]
        return cls(pieces, special)

    def _encode_word(self, word: str) -> tuple[int, ...]:
        ids: list[int] = []
        for is_known, pieces in groupby(self.best_segmentation(word), key=self.vocab.__contains__):
            ids += map(self.vocab.__getitem__, pieces) if is_known else [self.special_tokens[UNKNOWN]]
        return tuple(ids)

    def best_segmentation(self, word: str) -> list[str]:
        """The most probable pieces of a word, by Viterbi's algorithm.

        A character that no piece spells is a piece of its own. Of equally
        probable segmentations, the one with the longest last piece is
        returned.

        Source: Viterbi (1967).

        Example:
            >>> pieces = [("<unk>", 0.0), ("ab", -1.0), ("b", -1.0)]
            >>> tokenizer = UnigramTokenizer(pieces, {"<unk>": 0})
            >>> tokenizer.best_segmentation("bab?")
            ['b', 'ab', '?']
        """
        n, score_of = len(word), self.scores.get
        best = [0.0] + [-inf] * n  # best[t]: of the first t characters
        begin = [0] * (n + 1)  # begin[t]: of the last piece of these
        for s in range(n):
            for t in range(s + 1, min(s + self._longest, n) + 1):
                score = score_of(word[s:t])
                if score is None:
                    score = self._unknown_score if t == s + 1 else -inf
                if best[s] + score > best[t]:
                    best[t], begin[t] = best[s] + score, s
        pieces = []
        while n:
            pieces.append(word[begin[n] : n])
            n = begin[n]
        return pieces[::-1]

    def _join(self, tokens: list[str]) -> str:
        return "".join([token.replace(MARK, " " if i else "") for i, token in enumerate(tokens)])

    def _model(self, vocab: dict[str, int]) -> dict[str, Any]:
        pieces = [[piece, score] for piece, score in self.pieces.items()]
        return {"unk_id": self.special_tokens[UNKNOWN], "vocab": pieces, "byte_fallback": False}

    @classmethod
    def _from_document(cls, document: Mapping[str, Any], special: Mapping[str, int]) -> Self:
        return cls([(str(piece), float(score)) for piece, score in document["model"]["vocab"]], special)
