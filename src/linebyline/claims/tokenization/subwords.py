"""Claims on tokens and ids: where they come from, what is known, and what a model reads and writes."""

from functools import partial
from pydoc_data.topics import topics

from clearformer.tokenizers import BPETokenizer, WordPieceTokenizer
from clearformer.tokenizers.pre_tokenization import words_and_punctuation
from linebyline.claims.core import Claim
from linebyline.corpora import pydoc_topics

_claim = partial(Claim, topic="tokenization")

_SENTENCE = "Dan loves icecream"


def _bpe(vocab_size: int = 4_000) -> BPETokenizer:
    return BPETokenizer.train(pydoc_topics(), vocab_size)


def _wordpiece() -> WordPieceTokenizer:
    return WordPieceTokenizer.train(pydoc_topics(), 3_000)


def _tokens(tokenizer: BPETokenizer | WordPieceTokenizer, text: str) -> str:
    return " / ".join(tokenizer.decode([i]).strip() for i in tokenizer.encode(text))


def _two_sizes() -> str:
    counts = ((V, len(_bpe(V).encode(_SENTENCE))) for V in (512, 4_000))
    return f"'{_SENTENCE}': " + ", ".join(f"{T} tokens with V={V:,}" for V, T in counts)


def _there_and_back() -> str:
    tokenizer = _bpe()
    ids = tokenizer.encode(_SENTENCE)
    inside = "all" if max(ids) < tokenizer.vocab_size else "not all"
    back = "the sentence" if tokenizer.decode(ids) == _SENTENCE else "another text"
    return f"{len(ids)} ids, {inside} below {tokenizer.vocab_size:,}; decoded they give {back}"


def _four_tokens() -> str:
    return f"trained on Python's manual, V=4,000: {_tokens(_bpe(), _SENTENCE)}"


def _ids_shift() -> str:
    plain, special = BPETokenizer.train("", 256), BPETokenizer.train("", 258, special_tokens=["<sos>", "<eos>"])
    return f"the byte e has id {plain.vocab[b'e']}, and {special.vocab[b'e']} after two special tokens"


def _any_number() -> str:
    words = ("help", "tokenization", "unrepresentable")
    return "; ".join(_tokens(_wordpiece(), word) for word in words)


def _mark() -> str:
    tokenizer = WordPieceTokenizer({"ice": 1, "cream": 2, "##cream": 3}, {"[UNK]": 0})
    return f"ice, ##cream decodes to '{tokenizer.decode([1, 3])}'; ice, cream to '{tokenizer.decode([1, 2])}'"


def _example() -> str:
    known = WordPieceTokenizer({"token": 1, "##ization": 2}, {"[UNK]": 0})
    return f"with token known: {_tokens(known, 'tokenization')}; trained on Python's manual: " + (
        _tokens(_wordpiece(), "tokenization")
    )


def _known_letters() -> str:
    bpe = _bpe()
    ids = bpe.encode("café")
    back = "café again" if bpe.decode(ids) == "café" else "another word"
    return f"café: from WordPiece {_tokens(_wordpiece(), 'café')}, from bytes {back}"


def _one_vector() -> str:
    tokenizer = WordPieceTokenizer.train(pydoc_topics(), 3_000, special_tokens=["[UNK]", "[CLS]"])
    ids = tokenizer.encode(f"[CLS] {_SENTENCE}", allowed_special=["[CLS]"])
    first = ids.count(tokenizer.special_tokens["[CLS]"])
    return f"{first} vector for [CLS]; {len(_SENTENCE.split())} words to label, in {len(ids) - first} pieces"


def _start() -> str:
    tokenizer = BPETokenizer.train("", 258, special_tokens=["<sos>", "<eos>"])
    allowed = tokenizer.encode("<sos>", allowed_special=["<sos>"])
    return f"<sos> as a signal: {len(allowed)} id; as plain text: {len(tokenizer.encode('<sos>'))} ids, none special"


def _steps_not_words() -> str:
    return f"{len(_SENTENCE.split())} words, {len(_bpe().encode(_SENTENCE))} tokens, so as many steps"


def _numbers() -> str:
    text = pydoc_topics()
    rate = len(text.encode()) / len(_bpe().encode(text))
    return f"ice is {' '.join(map(str, b'ice'))} in UTF-8 already; one token of 4,000 replaces {rate:.0f} such numbers"


def _unseen_words() -> str:
    names = sorted(topics)
    known = {word for name in names if name not in names[::10] for word in words_and_punctuation(topics[name])}
    words = [word for name in names[::10] for word in words_and_punctuation(topics[name]) if word.isalpha()]
    unseen = sum(word not in known for word in words) / len(words)
    return f"every tenth topic of Python's manual: about {round(100 * unseen / 5) * 5} % of its words in no other topic"


def _length() -> str:
    tokenizer = _bpe()
    characters, tokens = len(_SENTENCE), len(tokenizer.encode(_SENTENCE))
    return f"'{_SENTENCE}': {characters} characters, {tokens} tokens; both decode to the same text"


def _plural() -> str:
    text = pydoc_topics()
    tokenizer = BPETokenizer.train(text, 4_000)
    words = {word for word in words_and_punctuation(text) if word.isalpha() and word.islower() and len(word) > 3}
    pairs = [(tokenizer.encode(f" {word}"), tokenizer.encode(f" {word}s")) for word in words if f"{word}s" in words]
    kept = sum(more[: len(one)] == one for one, more in pairs) / len(pairs)
    example = _tokens(tokenizer, "tokenization")
    return f"about {round(10 * kept) * 10} % of the plurals begin with the tokens of the singular; {example}"


def _open() -> str:
    bpe, text = _bpe(), "🍦"
    pieces = f"WordPiece {_tokens(_wordpiece(), text)}, bytes {len(bpe.encode(text))} tokens"
    return f"an emoji: {pieces}; decoded again: {'equal' if bpe.decode(bpe.encode(text)) == text else 'changed'}"


CLAIMS = (
    _claim(
        id="000.tokenizer-apart",
        document="000",
        section="sec-what-is-a-token",
        statement="Tokenization is independent of the architecture; a ready tokenizer is used.",
        verdict="depends",
        finding="The blocks never see it, but the first and the last matrix have a row for each of its tokens.",
        measure=_two_sizes,
    ),
    _claim(
        id="001.text-to-vectors",
        document="001",
        section="sec-what-is-a-token",
        statement="A network takes no text: text becomes tokens, and these become vectors.",
        verdict="holds",
        finding="Between tokens and vectors stand the ids, and nothing is lost on the way.",
        measure=_there_and_back,
    ),
    _claim(
        id="001.four-tokens",
        document="001",
        section="sec-what-is-a-token",
        statement="The sentence *Dan loves icecream* might become the four tokens Dan, loves, ice, cream.",
        verdict="depends",
        finding="It might: the vocabulary decides, and ours decides otherwise. Blanks belong to tokens, too.",
        measure=_four_tokens,
    ),
    _claim(
        id="001.ids",
        document="001",
        section="sec-what-is-a-token",
        statement="Each of these words has its id in the vocabulary of the model.",
        verdict="holds",
        finding="Each token has. The number means nothing: another vocabulary has another.",
        measure=_ids_shift,
    ),
    _claim(
        id="001.two-parts",
        document="001",
        section="sec-wordpiece",
        statement="A word that is out of vocabulary is split into two parts.",
        verdict="corrected",
        finding="Into any number of pieces.",
        measure=_any_number,
    ),
    _claim(
        id="001.mark",
        document="001",
        section="sec-wordpiece",
        statement="The sign ## says that the token before it is part of a word.",
        verdict="corrected",
        finding="It belongs to the piece that carries it: this piece continues a word. Only WordPiece has it.",
        measure=_mark,
    ),
    _claim(
        id="001.token-ization",
        document="001",
        section="sec-wordpiece",
        statement="The word *tokenization* is split into token and ##ization.",
        verdict="depends",
        finding="If token is a piece and no longer piece fits.",
        measure=_example,
    ),
    _claim(
        id="001.unknown-words",
        document="001",
        section="sec-wordpiece",
        statement="With subwords, words outside the vocabulary can be tokenized.",
        verdict="depends",
        finding="If their characters are in it; WordPiece has [UNK] for the rest. Bytes need no such condition.",
        measure=_known_letters,
    ),
    _claim(
        id="001.cls-everywhere",
        document="001",
        section="sec-special-tokens",
        statement="The token [CLS] serves all tasks on a whole sequence, such as finding names.",
        verdict="corrected",
        finding="Names are found word by word, and need the vector of every piece.",
        measure=_one_vector,
    ),
    _claim(
        id="001.starts-with-sos",
        document="001",
        section="sec-special-tokens",
        statement="Generation starts from a start-of-sequence token.",
        verdict="holds",
        finding="It is an id that no plain text becomes, unless it is allowed to.",
        measure=_start,
    ),
    _claim(
        id="001.new-word",
        document="001",
        section="sec-special-tokens",
        statement="At each step the model generates a new word.",
        verdict="corrected",
        finding="A new token, which may be a piece of a word.",
        measure=_steps_not_words,
    ),
    _claim(
        id="004.only-numbers",
        document="004",
        section="sec-what-is-a-token",
        statement="Tokenization is there because machines read numbers only.",
        verdict="depends",
        finding="Stored text is numbers already. Tokens make the sequence shorter, and its units worth a vector.",
        measure=_numbers,
    ),
    _claim(
        id="004.words-explode",
        document="004",
        section="sec-words-or-characters",
        statement="A vocabulary of words explodes, and words stay out of it.",
        verdict="holds",
        finding="New words never end.",
        measure=_unseen_words,
    ),
    _claim(
        id="004.characters-miss",
        document="004",
        section="sec-words-or-characters",
        statement="A vocabulary of characters misses morphology.",
        verdict="depends",
        finding="The text is all there. The model must find the units itself, in a longer sequence.",
        measure=_length,
    ),
    _claim(
        id="004.keeps-morphology",
        document="004",
        section="sec-words-or-characters",
        statement="Subwords maintain morphology.",
        verdict="corrected",
        finding="Merges follow counts. Sometimes a stem survives, and nothing sees to it.",
        measure=_plural,
    ),
    _claim(
        id="004.fixed-and-open",
        document="004",
        section="sec-vocabulary-size",
        statement="Subwords are a vocabulary of fixed size that is open to rare words.",
        verdict="depends",
        finding="Open to all that its smallest units can spell: characters of the training text, or all bytes.",
        measure=_open,
    ),
)
