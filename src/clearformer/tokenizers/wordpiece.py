"""WordPiece: train, encode with the longest match first, decode, save, load."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Self

from clearformer.tokenizers.base import WordTokenizer
from clearformer.tokenizers.bpe_training import learn_merges
from clearformer.tokenizers.pre_tokenization import words_and_punctuation
from clearformer.tokenizers.special import number_special_tokens, well_formed

UNKNOWN = "[UNK]"
CONTINUATION = "##"
_STEPS = {
    "pre_tokenizer": {"type": "BertPreTokenizer"},
    "decoder": {"type": "WordPiece", "prefix": CONTINUATION, "cleanup": False},
}


class WordPieceTokenizer(WordTokenizer):
    """WordPiece as in BERT: each word is split into the longest known pieces, from the left.

    A piece that does not begin a word carries the prefix ``##``. A word that cannot be split into known pieces, or has
    more characters than ``max_input_chars_per_word``, becomes the one token ``[UNK]``, which must be among the special
    tokens. Words and punctuation marks are encoded separately; capitals and accents are kept. White space is dropped,
    so decoding restores words, not the text. Errors as for ``Tokenizer``.

    Source: Schuster and Nakajima (2012); Devlin et al. (2019) for the longest match and ``##``.

    Example:
        >>> tokenizer = WordPieceTokenizer({"ice": 1, "##cream": 2, "##s": 3}, {"[UNK]": 0})
        >>> tokenizer.encode("icecreams ice snow")
        [1, 2, 3, 1, 0]
        >>> tokenizer.decode([1, 2, 3, 1, 0])
        'icecreams ice [UNK]'
    """

    vocab: dict[str, int]
    _model_type = "WordPiece"
    _split = staticmethod(words_and_punctuation)
    _steps = _STEPS

    def __init__(
        self, vocab: Mapping[str, int], special_tokens: Mapping[str, int], *, max_input_chars_per_word: int = 100
    ) -> None:
        super().__init__(vocab, special_tokens)
        if UNKNOWN not in self.special_tokens:
            raise ValueError(f"the special tokens {list(special_tokens)} lack {UNKNOWN!r}")
        self.max_input_chars_per_word = max_input_chars_per_word

    @classmethod
    def train(cls, text: str, vocab_size: int, *, special_tokens: Sequence[str] = (UNKNOWN,)) -> "WordPieceTokenizer":
        """Learn pieces from a text by merging the most frequent pair, as Hugging Face's trainer does.

        (The first WordPiece scored pairs by likelihood; its training code was never published.) Special tokens get the
        first ids, ``[UNK]`` before all if it is not among them, then all characters, then all characters with ``##``,
        both in the order of code points, then the merges. Hugging Face's trainer numbers the ``##`` characters in an
        order that changes from run to run; given the same order, the vocabularies are equal. Ties, other arguments and
        errors as for ``BPETokenizer.train``.

        Example:
            >>> list(WordPieceTokenizer.train("hug hugs hug", 9).vocab)
            ['g', 'h', 's', 'u', '##g', '##s', '##u', 'hu']
        """
        special = number_special_tokens(special_tokens, needed=UNKNOWN)
        word_counts = Counter(words_and_punctuation(well_formed(text)))
        pieces = learn_pieces(word_counts, vocab_size - len(special), forbidden=special)
        return cls({piece: i for i, piece in enumerate(pieces, start=len(special))}, special)

    def _encode_word(self, word: str) -> tuple[int, ...]:
        """Take the longest known piece from the left, again and again."""
        unknown = (self.special_tokens[UNKNOWN],)
        if len(word) > self.max_input_chars_per_word:
            return unknown
        ids: list[int] = []
        start = 0
        while start < len(word):
            prefix = CONTINUATION if start else ""
            ends = range(len(word), start, -1)
            pieces = (prefix + word[start:end] for end in ends)
            known = (piece for piece in pieces if piece in self.vocab)
            piece = next(known, None)
            if piece is None:
                return unknown
            ids.append(self.vocab[piece])
            start += len(piece) - len(prefix)
        return tuple(ids)

    def _join(self, tokens: list[str]) -> str:
        rest = [token[len(CONTINUATION) :] if token.startswith(CONTINUATION) else f" {token}" for token in tokens[1:]]
        return "".join([*tokens[:1], *rest])

    def _model(self, vocab: dict[str, int]) -> dict[str, Any]:
        longest = {"max_input_chars_per_word": self.max_input_chars_per_word}
        return {"unk_token": UNKNOWN, "continuing_subword_prefix": CONTINUATION, **longest, "vocab": vocab}

    @classmethod
    def _from_document(cls, document: Mapping[str, Any], special: Mapping[str, int]) -> Self:
        model = document["model"]
        vocab = {token: i for token, i in model["vocab"].items() if token not in special}
        return cls(vocab, special, max_input_chars_per_word=model["max_input_chars_per_word"])


def learn_pieces(
    word_counts: Mapping[str, int],
    vocab_size: int,
    *,
    continuations: Sequence[str] | None = None,
    forbidden: Collection[str] = (),
) -> list[str]:
    """Learn WordPiece's vocabulary, without forbidden pieces, from words and their counts.

    ``continuations`` are the characters that occur inside words, in the order they are numbered, which settles ties; by
    default in the order of code points. More characters than pieces are a ValueError.

    Example:
        >>> learn_pieces({"hug": 2}, 6)
        ['g', 'h', 'u', '##g', '##u', 'hu']
    """
    characters = sorted(set().union(*word_counts))
    inside = sorted({character for word in word_counts for character in word[1:]})
    if continuations is not None:
        inside = list(continuations)
    alphabet = [*characters, *(CONTINUATION + character for character in inside)]
    if vocab_size < len(alphabet):
        raise ValueError(
            f"{vocab_size} pieces have no room for the text's {len(characters)} characters "
            f"and {len(inside)} of them with {CONTINUATION}"
        )
    first = {character: chr(i) for i, character in enumerate(characters)}
    inner = str.maketrans({character: chr(i) for i, character in enumerate(inside, start=len(characters))})
    words = {first[word[0]] + word[1:].translate(inner): count for word, count in word_counts.items()}
    pieces, _ = learn_merges(words, alphabet, vocab_size, join=_join, forbidden=forbidden)
    return pieces


def _join(left: str, right: str) -> str:
    """The piece that a left and a right piece spell."""
    return left + right.removeprefix(CONTINUATION)
