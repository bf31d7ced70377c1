"""Byte-pair encoding as a drawing: how merges turn the letters of two words into tokens."""

from collections import Counter
from collections.abc import Mapping, Sequence

from clearformer.tokenizers import BPETokenizer
from linebyline.figures.merge_steps import token_steps

from .kit import Canvas, Drawing

FIVE_WORDS = {"ice": 5, "cream": 4, "dream": 3, "team": 2, "jam": 1}
LEFT, LETTER, GAP, ROW = 98, 26, 24, 44


def merges(
    word_counts: Mapping[str, int] = FIVE_WORDS, words: Sequence[str] = ("cream", "team"), n_merges: int = 6
) -> Drawing:
    """Return two words before and after each merge that changes them; the new tokens are outlined in bold."""
    text = " ".join(Counter(word_counts).elements())
    learned = BPETokenizer.train(text, 256 + n_merges, pattern=r"\p{L}+").merges
    steps = list(token_steps([word.encode() for word in words], learned))
    canvas = Canvas(ROW * len(steps))
    for row, (rank, pair, cut) in enumerate(steps):
        y, x = ROW * row + 20, LEFT
        left, right = (part.decode() for part in pair or (b"", b""))
        canvas.text(4, y + 5, f"{rank}. {left} + {right}" if pair else "letters", "" if pair else "quiet", "start")
        for tokens in cut:
            for token in tokens:
                width = LETTER * len(token)
                lit = " lit" if token == left.encode() + right.encode() else ""
                canvas.token(x + width / 2, y, token.decode(), width - 4, lit.strip())
                x += width
            x += GAP
    ends = " and ".join("|".join(token.decode() for token in tokens) for tokens in steps[-1][2])
    return canvas.finish(
        f"The letters of {' and '.join(words)} become tokens",
        f"A row for each merge that changes one of the words: {'; '.join(_said(pair) for _, pair, _ in steps[1:])}. "
        f"The tokens become fewer and longer, and both words share those at their end; the last row is {ends}.",
    )


def _said(pair: Sequence[bytes]) -> str:
    return " + ".join(part.decode() for part in pair)
