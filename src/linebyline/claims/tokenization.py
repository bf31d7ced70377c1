"""Claims on tokens and ids: where they come from, what is known, and how byte-pair encoding finds them."""

import sys
from collections import Counter
from itertools import pairwise

from clearformer.tokenizers import BPETokenizer, WordPieceTokenizer
from clearformer.tokenizers.pre_tokenization import words_and_punctuation
from linebyline.claims.declare import claim, corrected, depends, holds
from linebyline.corpora import docstrings_split

_SENTENCE = "Dan loves icecream"


def _manual() -> str:
    """The first half megabyte of the docstrings of NumPy and SciPy, the same in every version of Python."""
    return docstrings_split()[0][:500_000]


def _bpe(vocab_size: int = 4_000) -> BPETokenizer:
    return BPETokenizer.train(_manual(), vocab_size)


def _wordpiece() -> WordPieceTokenizer:
    return WordPieceTokenizer.train(_manual(), 3_000)


def _tokens(tokenizer: BPETokenizer | WordPieceTokenizer, text: str) -> str:
    return " / ".join(tokenizer.decode([i]).strip() for i in tokenizer.encode(text))


@claim("000", "what-is-a-token", "Tokenization is independent of the architecture; a ready tokenizer is used.")
@depends("The blocks never see it, but the first and the last matrix have a row for each of its tokens.")
def _tokenizer_apart() -> str:
    counts = ((V, len(_bpe(V).encode(_SENTENCE))) for V in (512, 4_000))
    return f"'{_SENTENCE}': " + ", ".join(f"{T} tokens with V={V:,}" for V, T in counts)


@claim("001", "what-is-a-token", "A network takes no text: text becomes tokens, and these become vectors.")
@holds("Between tokens and vectors stand the ids, and nothing is lost on the way.")
def _text_to_vectors() -> str:
    tokenizer = _bpe()
    ids = tokenizer.encode(_SENTENCE)
    inside = "all" if max(ids) < tokenizer.vocab_size else "not all"
    back = "the sentence" if tokenizer.decode(ids) == _SENTENCE else "another text"
    return f"{len(ids)} ids, {inside} below {tokenizer.vocab_size:,}; decoded they give {back}"


@claim("001", "what-is-a-token")
@depends("It might: the vocabulary decides, and ours decides otherwise. Spaces belong to tokens, too.")
def _four_tokens() -> str:
    """The sentence *Dan loves icecream* might become the four tokens Dan, loves, ice, cream."""
    return f"trained on docstrings, V=4,000: {_tokens(_bpe(), _SENTENCE)}"


@claim("001", "what-is-a-token", "Each of these words has its id in the vocabulary of the model.")
@holds("Each token has. The number says nothing about the meaning: another vocabulary has another.")
def _ids() -> str:
    plain, special = BPETokenizer.train("", 256), BPETokenizer.train("", 258, special_tokens=["<sos>", "<eos>"])
    return f"the byte e has id {plain.vocab[b'e']}, and {special.vocab[b'e']} after two special tokens"


@claim("001", "wordpiece", "A word that is out of vocabulary is split into two parts.")
@corrected("Into any number of pieces.")
def _two_parts() -> str:
    return "; ".join(_tokens(_wordpiece(), word) for word in ("help", "tokenization", "unrepresentable"))


@claim("001", "wordpiece", "The sign ## says that the token before it is part of a word.")
@corrected("It belongs to the piece that carries it: this piece continues a word. Only WordPiece has it.")
def _mark() -> str:
    tokenizer = WordPieceTokenizer({"ice": 1, "cream": 2, "##cream": 3}, {"[UNK]": 0})
    return f"ice, ##cream decodes to '{tokenizer.decode([1, 3])}'; ice, cream to '{tokenizer.decode([1, 2])}'"


@claim("001", "wordpiece", "The word *tokenization* is split into token and ##ization.")
@depends("If token is a piece and no longer piece fits.")
def _token_ization() -> str:
    known = WordPieceTokenizer({"token": 1, "##ization": 2}, {"[UNK]": 0})
    return f"with token known: {_tokens(known, 'tokenization')}; trained on docstrings: " + (
        _tokens(_wordpiece(), "tokenization")
    )


@claim("001", "wordpiece", "With subwords, words outside the vocabulary can be tokenized.")
@depends("If their characters are in it; WordPiece has [UNK] for the rest. Bytes need no such condition.")
def _unknown_words() -> str:
    bpe = _bpe()
    back = "café again" if bpe.decode(bpe.encode("café")) == "café" else "another word"
    return f"café: from WordPiece {_tokens(_wordpiece(), 'café')}, from bytes {back}"


@claim("001", "special-tokens", "The token [CLS] serves all tasks on a whole sequence, such as finding names.")
@corrected("Names are found word by word, and need the vector of every piece.")
def _cls_everywhere() -> str:
    tokenizer = WordPieceTokenizer.train(_manual(), 3_000, special_tokens=["[UNK]", "[CLS]"])
    ids = tokenizer.encode(f"[CLS] {_SENTENCE}", allowed_special=["[CLS]"])
    first = ids.count(tokenizer.special_tokens["[CLS]"])
    return f"{first} vector for [CLS]; {len(_SENTENCE.split())} words to label, in {len(ids) - first} pieces"


@claim("001", "special-tokens", "Generation starts from a start-of-sequence token.")
@holds("It is an id that no plain text becomes, unless it is allowed to.")
def _starts_with_sos() -> str:
    tokenizer = BPETokenizer.train("", 258, special_tokens=["<sos>", "<eos>"])
    allowed = tokenizer.encode("<sos>", allowed_special=["<sos>"])
    return f"<sos> as a signal: {len(allowed)} id; as plain text: {len(tokenizer.encode('<sos>'))} ids, none special"


@claim("001", "special-tokens", "At each step the model generates a new word.")
@corrected("A new token, which may be a piece of a word.")
def _new_word() -> str:
    return f"{len(_SENTENCE.split())} words, {len(_bpe().encode(_SENTENCE))} tokens, so as many steps"


@claim("004", "what-is-a-token", "Tokenization is there because machines read numbers only.")
@depends("Stored text is numbers already. Tokens make the sequence shorter, and its units worth a vector.")
def _only_numbers() -> str:
    text = _manual()
    rate = len(text.encode()) / len(_bpe().encode(text))
    return f"ice is {' '.join(map(str, b'ice'))} in UTF-8 already; one token of 4,000 replaces {rate:.0f} such numbers"


@claim("004", "words-or-characters", "A vocabulary of words explodes, and words stay out of it.")
@holds("New text brings new words.")
def _words_explode() -> str:
    train, validation = docstrings_split()
    known = set(words_and_punctuation(train))
    words = [word for word in words_and_punctuation(validation) if word.isalpha()]
    unseen = sum(word not in known for word in words) / len(words)
    return f"about {100 * unseen:.0f} % of the words in the validation docstrings are not in the training docstrings"


@claim("004", "words-or-characters", "A vocabulary of characters misses morphology.")
@depends("The text is all there. The model must find the units itself, in a longer sequence.")
def _characters_miss() -> str:
    characters, tokens = len(_SENTENCE), len(_bpe().encode(_SENTENCE))
    return f"'{_SENTENCE}': {characters} characters, {tokens} tokens; both decode to the same text"


@claim("004", "words-or-characters", "Subwords maintain morphology.")
@corrected("Merges follow counts. Sometimes a stem survives, and nothing sees to it.")
def _keeps_morphology() -> str:
    text = _manual()
    tokenizer = BPETokenizer.train(text, 4_000)
    words = {word for word in words_and_punctuation(text) if word.isalpha() and word.islower() and len(word) > 3}
    pairs = [(tokenizer.encode(f" {word}"), tokenizer.encode(f" {word}s")) for word in words if f"{word}s" in words]
    kept = sum(more[: len(one)] == one for one, more in pairs) / len(pairs)
    example = _tokens(tokenizer, "tokenization")
    return f"about {round(10 * kept) * 10} % of the plurals begin with the tokens of the singular; {example}"


@claim("004", "vocabulary-size", "Subwords are a vocabulary of fixed size that is open to rare words.")
@depends("Open to all that its smallest units can spell: characters of the training text, or all bytes.")
def _fixed_and_open() -> str:
    bpe, text = _bpe(), "🍦"
    pieces = f"WordPiece {_tokens(_wordpiece(), text)}, bytes {len(bpe.encode(text))} tokens"
    return f"an emoji: {pieces}; decoded again: {'equal' if bpe.decode(bpe.encode(text)) == text else 'changed'}"


_TEXT = (
    "Dan loves icecream, and the cream he loves is iced. When he dreams of ice, the dream is creamy; "
    "when he wakes, the ice of the dream is gone, and he goes and buys one more of the ones he loves."
)
_WORDS = r"\p{L}+|[^\p{L}]"
_EVERYTHING = r"[\s\S]+"
Pair = tuple[str, str]


def _by_the_list(n_merges: int, *, last: bool = False) -> tuple[list[Pair], int]:
    """The merges by the steps as listed, for words of letters, and the number of steps with a tie."""
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


@claim("004", "bpe", "Byte-pair encoding starts from single characters.")
@depends("In its first form for words, yes; since GPT-2 it usually starts from bytes, and nothing is unknown.")
def _bpe_characters() -> str:
    return f"256 bytes spell all {sys.maxunicode + 1:,} code points; the text here has {len(set(_TEXT))} characters"


@claim("004", "bpe", "Count pairs, merge the most frequent, replace it everywhere, update, repeat.")
@holds("These steps, with a rule for words and one for ties, are the algorithm.")
def _bpe_loop() -> str:
    listed, _ = _by_the_list(30)
    package = BPETokenizer.train(_TEXT, 256 + 30, pattern=_WORDS).merges
    equal = sum((a.encode(), b.encode()) == pair for (a, b), pair in zip(listed, package, strict=True))
    return f"{equal} of 30 merges are those of the package"


@claim("004", "bpe", "Every pair of adjacent symbols is counted.")
@corrected("Every pair inside a word: text is cut into pre-tokens first, and no merge crosses their ends.")
def _bpe_every_pair() -> str:
    def across(pattern: str) -> int:
        merges = BPETokenizer.train(_TEXT, 256 + 30, pattern=pattern).merges
        return sum(b" " in (left + right)[1:] for left, right in merges)

    return f"30 merges: {across(_EVERYTHING)} tokens reach across a space without pre-tokens, {across(_WORDS)} with"


@claim("004", "bpe", "The most frequent pair is merged.")
@depends("If there is one. Ties are common, and the rule for them is part of the algorithm.")
def _bpe_most_frequent() -> str:
    first, ties = _by_the_list(30)
    last, _ = _by_the_list(30, last=True)
    differ = len({"".join(pair) for pair in first} - {"".join(pair) for pair in last})
    return f"a tie in {ties} of 30 merges; settled the other way, {differ} of 30 tokens are different"


@claim("004", "bpe", "The loop continues until the vocabulary has its size.")
@depends("Or until no pair is left.")
def _bpe_until_full() -> str:
    return f"asked for 10,000 tokens, a text of the word abc gives {BPETokenizer.train('abc', 10_000).vocab_size}"
