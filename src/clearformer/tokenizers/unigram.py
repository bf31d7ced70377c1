"""Unigram: the most probable segmentation of each word, found by Viterbi's algorithm."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import inf
from typing import Any, Self

from clearformer.tokenizers.decoders import byte_ids
from clearformer.tokenizers.hf_json import special_tokens_of
from clearformer.tokenizers.pipeline import TextPipeline
from clearformer.tokenizers.pre_tokenizers import MARK, pre_tokenizer
from clearformer.tokenizers.special import check_ids, check_special_tokens, well_formed
from clearformer.tokenizers.steps import Steps, unsupported

UNKNOWN = "<unk>"
UNKNOWN_PENALTY = 10.0
"""How far the log-probability of an unknown character lies below that of the least probable piece."""

_MARKS = {"type": "Metaspace", "replacement": MARK, "prepend_scheme": "always", "split": True}
_STEPS = Steps(
    pre_tokenizer={"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, _MARKS]}, decoder=_MARKS
)


class UnigramTokenizer(TextPipeline):
    """Pieces with probabilities, as T5 and SentencePiece have them: a word gets its most probable cut.

    The probability of a cut is the product of its pieces' probabilities. A blank is the mark ``▁`` (U+2581) at
    the beginning of the word after it. Decoding gives back the words with one blank between them.

    Args:
        pieces: every piece with its log-probability; its place is its id.
        special_tokens: id of every special token, ``<unk>`` among them. Those among the pieces are never
            found in plain text.
        steps: what a file wants done around the model; by default text is cut at white space.
        unknown: the token for characters that no piece spells; neighbouring ones become a single token.
        byte_fallback: write such characters with the pieces ``<0x00>`` to ``<0xFF>``.

    Raises:
        ValueError: the unknown token is missing, an id is used twice, or a step is not supported.

    Source: Kudo (2018); Kudo and Richardson (2018) for the mark.

    Example:
        >>> pieces = [("<unk>", 0.0), ("▁ice", -2.0), ("▁icec", -3.0), ("cream", -3.0), ("ream", -4.0)]
        >>> tokenizer = UnigramTokenizer(pieces, {"<unk>": 0})
        >>> tokenizer.encode("icecream")  # -2 - 3 is more than -3 - 4
        [1, 3]
        >>> tokenizer.decode([1, 3, 1])
        'icecream ice'
    """

    _type = "Unigram"

    def __init__(
        self,
        pieces: Sequence[tuple[str, float]],
        special_tokens: Mapping[str, int],
        *,
        steps: Steps = _STEPS,
        unknown: str = UNKNOWN,
        byte_fallback: bool = False,
    ) -> None:
        """Check the pieces and prepare the look-up tables."""
        if unknown not in special_tokens:
            raise ValueError(f"the special tokens {list(special_tokens)} lack {unknown!r}")
        hidden = {*special_tokens, *(token["content"] for token in steps.added_tokens)}
        vocab = {piece: i for i, (piece, _) in enumerate(pieces) if piece not in hidden}
        super().__init__(vocab, special_tokens, steps, self._encode_word)
        check_ids(self.vocab, self._added_ids)
        self.unknown = unknown
        self.scores = {piece: score for piece, score in pieces if piece in self.vocab}
        self._listed = dict(pieces)
        if len(self._listed) < len(pieces):
            raise ValueError(f"{len(pieces)} pieces have {len(self._listed)} spellings")
        self._bytes = byte_ids(self.vocab) if byte_fallback else []
        self._unknown_score = min(self._listed.values(), default=0.0) - UNKNOWN_PENALTY
        self._longest = max(map(len, self.vocab), default=1)

    @classmethod
    def train(cls, text: str, vocab_size: int, *, special_tokens: Sequence[str] = (UNKNOWN,)) -> "UnigramTokenizer":
        """Learn pieces and their probabilities from a text.

        Args:
            text: the whole corpus. Lone surrogates are read as U+FFFD.
            vocab_size: number of tokens, special ones included. A text with too few substrings gives fewer.
            special_tokens: these get the first ids; ``<unk>`` is put first if it is not among them.

        Raises:
            TypeError: the text is not a ``str``.
            ValueError: the vocabulary has no room for the characters, or the special tokens are unusable.

        Example:
            >>> tokenizer = UnigramTokenizer.train("ice icecream cream dream " * 9, 14)
            >>> tokenizer.best_cut("▁iced")
            ['▁ice', 'd']
        """
        from clearformer.tokenizers.unigram_training import learn_pieces

        special = check_special_tokens(special_tokens)
        if UNKNOWN not in special:
            special = (UNKNOWN, *special)
        words = Counter(pre_tokenizer(_STEPS.pre_tokenizer)(well_formed(text), True))
        pieces = learn_pieces(words, vocab_size - len(special), forbidden=special)
        listed = [*((token, 0.0) for token in special), *pieces]
        return cls(listed, {token: i for i, token in enumerate(special)})

    def _to_file(self) -> dict[str, Any]:
        return {
            "unk_id": self.special_tokens[self.unknown],
            "vocab": [[piece, score] for piece, score in self._listed.items()],
            "byte_fallback": bool(self._bytes),
        }

    @classmethod
    def _from_file(cls, model: Mapping[str, Any], steps: Steps) -> Self:
        pieces, unk_id = [(str(piece), float(score)) for piece, score in model["vocab"]], model.get("unk_id")
        if not isinstance(unk_id, int) or unk_id >= len(pieces):
            unsupported("unk_id", unk_id)
        unknown = pieces[unk_id][0]
        special = {unknown: unk_id} | special_tokens_of(steps)
        byte_fallback = bool(model.get("byte_fallback"))
        return cls(pieces, special, steps=steps, unknown=unknown, byte_fallback=byte_fallback)

    def _encode_word(self, word: str) -> tuple[int, ...]:
        """The ids of the best cut, unknown characters by their bytes or as one unknown token."""
        ids: list[int] = []
        unknown = ""
        for piece in [*self.best_cut(word), None]:
            if piece is not None and piece not in self.vocab:
                unknown += piece
                continue
            if unknown:
                ids += (
                    [self._bytes[b] for b in unknown.encode()] if self._bytes else [self.special_tokens[self.unknown]]
                )
                unknown = ""
            if piece is not None:
                ids.append(self.vocab[piece])
        return tuple(ids)

    def best_cut(self, word: str) -> list[str]:
        """The most probable pieces of a word, by Viterbi's algorithm.

        A character that no piece spells stands alone. Of equally probable
        cuts, the one whose last piece is longest counts.

        Source: Viterbi (1967).

        Example:
            >>> pieces = [("<unk>", 0.0), ("ab", -1.0), ("b", -1.0)]
            >>> UnigramTokenizer(pieces, {"<unk>": 0}).best_cut("bab?")
            ['b', 'ab', '?']
        """
        n, score_of = len(word), self.scores.get
        best = [0.0] + [-inf] * n  # best[t]: of the first t characters
        begin = [0] * (n + 1)  # begin[t]: of the last piece of that cut
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
