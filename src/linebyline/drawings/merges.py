"""Byte-pair encoding as a drawing: how merges turn the letters of a few words into tokens."""

from collections import Counter
from collections.abc import Mapping

from clearformer.tokenizers import BPETokenizer
from linebyline.figures.merge_steps import token_steps

from .kit import Canvas, Drawing

FIVE_WORDS = {"ice": 5, "cream": 4, "dream": 3, "team": 2, "jam": 1}
WIDTH, LETTER, GAP, ROW, HEAD = 430, 18.5, 12, 56, 26


def merges(word_counts: Mapping[str, int] = FIVE_WORDS, n_merges: int = 6) -> Drawing:
    """Return the words of a text after each merge, with the pair and its count; new tokens are outlined in bold."""
    text = " ".join(Counter(word_counts).elements())
    learned = BPETokenizer.train(text, 256 + n_merges, pattern=r"\p{L}+").merges
    steps = list(token_steps([word.encode() for word in word_counts], learned))
    canvas, said = Canvas(HEAD + ROW * len(steps) - 22, WIDTH), []
    for row, (rank, pair, cut) in enumerate(steps):
        y, x = HEAD + ROW * row + 16, 4.0
        left, right = (part.decode() for part in pair or (b"", b""))
        cuts = dict(zip(word_counts, ([token.decode() for token in tokens] for tokens in cut), strict=True))
        if pair:
            count = sum(word_counts[word] * tokens.count(left + right) for word, tokens in cuts.items())
            canvas.text(4, y - 20, f"{rank}. {left} + {right}, {count} times", "", "start")
            said.append(f"{left} + {right}, {count} times")
        for word, tokens in cuts.items():
            if not pair:
                times = f"{word_counts[word]} times" if word_counts[word] > 1 else "once"
                canvas.text(x + LETTER * len(word) / 2, y - 22, times, "quiet")
            for token in tokens:
                width = LETTER * len(token)
                canvas.token(x + width / 2, y, token, width - 2, "lit" if pair and token == left + right else "")
                x += width
            x += GAP
    ends = " and ".join("|".join(tokens) for tokens in cuts.values())
    return canvas.finish(
        f"The letters of {', '.join(word_counts)} become tokens",
        f"A row for each merge: {'; '.join(said)}. "
        f"The tokens become fewer and longer, and words share those at their end; the last row is {ends}.",
    )
