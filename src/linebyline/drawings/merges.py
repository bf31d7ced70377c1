"""Byte-pair encoding as a drawing: how merges turn the letters of a few words into tokens."""

from collections import Counter
from collections.abc import Mapping, Sequence

from clearformer.tokenizers import BPETokenizer
from linebyline.figures.merge_steps import token_steps

from .kit import SMALL, Canvas, Drawing

FIVE_WORDS = {"ice": 5, "cream": 4, "dream": 3, "team": 2, "jam": 1}
LEFT, LETTER, GAP, ROW = 88, 21, 10, 46


def merges(
    word_counts: Mapping[str, int] = FIVE_WORDS, words: Sequence[str] = ("ice", "cream", "team"), n_merges: int = 6
) -> Drawing:
    """Return some words of a text after each merge, with the pair and its count; new tokens are outlined in bold."""
    text = " ".join(Counter(word_counts).elements())
    learned = BPETokenizer.train(text, 256 + n_merges, pattern=r"\p{L}+").merges
    steps = list(token_steps([word.encode() for word in word_counts], learned))
    canvas, said = Canvas(ROW * len(steps)), []
    for row, (rank, pair, cut) in enumerate(steps):
        y, x = ROW * row + 22, LEFT
        left, right = (part.decode() for part in pair or (b"", b""))
        cuts = dict(zip(word_counts, ([token.decode() for token in tokens] for tokens in cut), strict=True))
        if pair:
            count = sum(word_counts[word] * tokens.count(left + right) for word, tokens in cuts.items())
            canvas.text(2, y - 1, f"{rank}. {left} + {right}", "", "start", SMALL)
            canvas.note(16, y + 15, f"{count} times")
            said.append(f"{left} + {right}, {count} times")
        else:
            canvas.note(2, y + 5, "letters")
        for word in words:
            for token in cuts[word]:
                width = LETTER * len(token)
                canvas.token(x + width / 2, y, token, width - 3, "lit" if pair and token == left + right else "")
                x += width
            x += GAP
    ends = " and ".join("|".join(cuts[word]) for word in words)
    return canvas.finish(
        f"The letters of {', '.join(words)} become tokens",
        f"A row for each merge: {'; '.join(said)}. "
        f"The tokens become fewer and longer, and words share those at their end; the last row is {ends}.",
    )
