"""What a tokenizer does, as drawings: tokens and their ids, and what one sentence costs in several languages."""

from collections.abc import Callable, Mapping, Sequence

from .kit import Canvas, Drawing

TEXT = ("Dan", " loves", " ice", " cream", ".")
VOCABULARY = (" cream", " ice", " loves", ".", "Dan")
ONE_SENTENCE = {
    "English": "The array has one row for each word.",
    "Swedish": "Matrisen har en rad för varje ord.",
    "Greek": "Ο πίνακας έχει μία γραμμή για κάθε λέξη.",
    "Japanese": "配列には単語ごとに一行あります。",
}
BARS, LONGEST, ROW = 104, 172, 68  # where the bars begin, the length of the longest, the height of a row


def token_ids(text: Sequence[str] = TEXT, vocabulary: Sequence[str] = VOCABULARY, lit: str = " ice") -> Drawing:
    """Return the tokens of a text with the id under each, and below them the vocabulary in which the ids were found."""
    canvas = Canvas(212)
    canvas.note(4, 14, "the text, cut into tokens")
    ids = [vocabulary.index(token) for token in text]
    for x, token, i in zip(_places(text), text, ids, strict=True):
        canvas.token(x, 38, _visible(token), _width(token), "lit" if token == lit else "")
        canvas.line((x, 54), (x, 69))
        canvas.vector(x, 86, [str(i)], "weight" if token == lit else "")
    canvas.note(4, 134, "the vocabulary: each token has its number")
    for x, (i, token) in zip(_places(vocabulary), enumerate(vocabulary), strict=True):
        canvas.vector(x, 156, [str(i)], "weight" if token == lit else "")
        canvas.token(x, 189, _visible(token), _width(token), "lit" if token == lit else "")
    return canvas.finish(
        "From tokens to ids",
        f"The text '{''.join(text)}' is cut into {len(text)} tokens. Each is replaced by its number in the vocabulary, "
        f"{', '.join(f'{i} for {token.strip()}' for i, token in enumerate(vocabulary))}: the ids are "
        f"{', '.join(map(str, ids))}.",
    )


def language_costs(
    sentences: Mapping[str, str] = ONE_SENTENCE, encode: Callable[[str], Sequence[int]] = str.encode
) -> Drawing:
    """Return one sentence in several languages, with a bar for its number of tokens; without merges they are bytes."""
    costs = {name: len(encode(text)) for name, text in sentences.items()}
    canvas = Canvas(ROW * len(sentences))
    for row, (name, text) in enumerate(sentences.items()):
        y, length = ROW * row, LONGEST * costs[name] / max(costs.values())
        canvas.note(4, y + 16, text, "")
        canvas.text(4, y + 38, name, "bold", "start")
        canvas.note(4, y + 54, f"{len(text)} characters")
        canvas.add("rect", x=BARS, y=y + 28, width=length, height=24, class_="filled weight")
        canvas.text(BARS + length + 8, y + 45, f"{costs[name]} tokens", "", "start")
    return canvas.finish(
        "One sentence in several languages",
        f"A bar for each language shows how many tokens the same sentence takes: "
        f"{', '.join(f'{name} {cost}' for name, cost in costs.items())}.",
    )


def _visible(token: str) -> str:
    return token.replace(" ", "·")


def _width(token: str) -> float:
    return 26 + 8 * len(token)


def _places(tokens: Sequence[str], gap: float = 6) -> list[float]:
    """The middles of tokens in a row that is as wide as the drawing."""
    ends = [sum(_width(token) + gap for token in tokens[: i + 1]) for i in range(len(tokens))]
    return [4 + end - gap - _width(token) / 2 for end, token in zip(ends, tokens, strict=True)]
