"""tokenization.wordpiece: (word, vocabulary) -> pieces."""

from typing import Any

from clearformer.course.exercises.core import Answer, Law, Rng, Write, expect_equal
from clearformer.tokenizers import WordPieceTokenizer


def _pieces_by_hand(answer: Answer, rng: Rng) -> None:
    vocab = {"t", "token", "##i", "##ization", "##s"}
    expect_equal(answer("tokenization", vocab), ["token", "##ization"], f"tokenization with {sorted(vocab)}")


def _pieces_any_number(answer: Answer, rng: Rng) -> None:
    vocab = {"to", "##ke", "##n", "##ization", "##s"}
    expected = ["to", "##ke", "##n", "##ization", "##s"]
    expect_equal(answer("tokenizations", vocab), expected, f"tokenizations with {sorted(vocab)}")
    expect_equal(answer("to", vocab), ["to"], "a word that is a piece")


def _pieces_longest(answer: Answer, rng: Rng) -> None:
    vocab = {"i", "ice", "##c", "##ce", "##cream", "##r", "##e", "##am"}
    expect_equal(answer("icecream", vocab), ["ice", "##cream"], f"icecream with {sorted(vocab)}")


def _pieces_prefix(answer: Answer, rng: Rng) -> None:
    vocab = {"ice", "cream", "##s"}
    expect_equal(answer("icecream", vocab), ["[UNK]"], f"icecream with {sorted(vocab)}, where cream only begins words")
    expect_equal(answer("s", vocab), ["[UNK]"], "s, which only continues words")


def _pieces_unknown(answer: Answer, rng: Rng) -> None:
    expect_equal(answer("café", {"caf", "##f"}), ["[UNK]"], "café, whose last letter no piece has")
    expect_equal(answer("ab", {"a", "##c"}), ["[UNK]"], "ab, of which only a is known")


def _pieces_no_return(answer: Answer, rng: Rng) -> None:
    vocab = {"un", "una", "##able"}
    expect_equal(answer("unable", vocab), ["[UNK]"], f"unable with {sorted(vocab)}: una comes first, and then no ##ble")


def _pieces_package(answer: Answer, rng: Rng) -> None:
    pieces = {"".join(rng.choice(list("abc"), size=rng.integers(1, 4))) for _ in range(12)}
    vocab = pieces | {"##" + "".join(rng.choice(list("abc"), size=rng.integers(1, 4))) for _ in range(12)}
    tokenizer = WordPieceTokenizer({piece: i for i, piece in enumerate(sorted(vocab), start=1)}, {"[UNK]": 0})
    names = ["[UNK]", *tokenizer.vocab]
    for _ in range(20):
        word = "".join(rng.choice(list("abc"), size=6))
        expect_equal(answer(word, vocab), [names[i] for i in tokenizer.encode(word)], f"{word} with {sorted(vocab)}")


def _cut(word: Any, vocab: Any, *, mark: str = "##", longest: bool = True, stuck: Any = None) -> Any:
    pieces: list[str] = []
    start = 0
    while start < len(word):
        lengths = range(start + 1, len(word) + 1)
        prefix = mark if start else ""
        ends = [end for end in lengths if prefix + word[start:end] in vocab]
        if not ends:
            return ["[UNK]"] if stuck is None else [*pieces, *stuck(word[start:])]
        end = ends[-1 if longest else 0]
        pieces.append(prefix + word[start:end])
        start = end
    return pieces


def _cut_in_two(word: Any, vocab: Any) -> Any:
    for end in range(len(word), 0, -1):
        if word[:end] in vocab and (end == len(word) or "##" + word[end:] in vocab):
            return [word] if end == len(word) else [word[:end], "##" + word[end:]]
    return ["[UNK]"]


def _cut_with_return(word: Any, vocab: Any, prefix: str = "") -> Any:
    if not word:
        return []
    for end in range(len(word), 0, -1):
        rest = _cut_with_return(word[end:], vocab, "##") if prefix + word[:end] in vocab else ["[UNK]"]
        if rest != ["[UNK]"]:
            return [prefix + word[:end], *rest]
    return ["[UNK]"]


EXERCISE = Write(
    id="tokenization.wordpiece",
    title="The longest match first",
    difficulty="medium",
    points=4,
    minutes=20,
    may_use="Python's standard library",
    laws=(
        Law("a case worked by hand", _pieces_by_hand),
        Law("any number of pieces", _pieces_any_number),
        Law("the longest piece comes first", _pieces_longest),
        Law("a piece inside a word carries ##", _pieces_prefix),
        Law("a word with an unknown rest is unknown as a whole", _pieces_unknown),
        Law("a piece once taken is not given back", _pieces_no_return),
        Law("equal to the package on random words", _pieces_package),
    ),
    wrong_answers={
        "takes the shortest piece first": lambda word, vocab: _cut(word, vocab, longest=False),
        "forgets the ##": lambda word, vocab: _cut(word, vocab, mark=""),
        "keeps the known beginning": lambda word, vocab: _cut(word, vocab, stuck=lambda rest: ["[UNK]"]),
        "falls back to letters": lambda word, vocab: _cut(word, vocab, stuck=list),
        "cuts into two parts at most": _cut_in_two,
        "tries a shorter piece when stuck": _cut_with_return,
    },
)
