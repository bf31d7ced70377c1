"""Byte-pair encoding as a drawing: how merges turn the letters of a few words into tokens."""

from collections import Counter
from collections.abc import Mapping, Sequence

from clearformer.tokenizers import BPETokenizer
from linebyline.figures.merge_steps import token_steps

from .kit import Canvas, Drawing

FIVE_WORDS = {"ice": 5, "cream": 4, "dream": 3, "team": 2, "jam": 1}
LETTER, SIDE, GAP, ROW = 10.2, 10.4, 10, 62  # the width of a letter, what a token adds to it, between words and rows


def merges(word_counts: Mapping[str, int] = FIVE_WORDS, n_merges: int = 6) -> Drawing:
    """Return the words that each merge changes, with the counts that it adds up; new tokens are outlined in bold."""
    text = " ".join(Counter(word_counts).elements())
    learned = BPETokenizer.train(text, 256 + n_merges, pattern=r"\p{L}+").merges
    first, *steps = token_steps([word.encode() for word in word_counts], learned)
    canvas, said, y = Canvas(152 + ROW * (len(steps) + 1)), [], 16.0
    canvas.note(4, y, "the words, and how often each occurs")
    cuts = [[token.decode() for token in tokens] for tokens in first[2]]
    half = (len(cuts) + 1) // 2
    for part in (slice(half), slice(half, None)):
        times = [f"{count} times" if count > 1 else "once" for count in word_counts.values()]
        _row(canvas, y + 45, cuts[part], times=times[part])
        y += 58
    y += 8
    for rank, pair, after in steps:
        left, right = (part.decode() for part in pair)
        now = [[token.decode() for token in tokens] for tokens in after]
        changed = [i for i, (old, new) in enumerate(zip(cuts, now, strict=True)) if old != new]
        sizes = [list(word_counts.values())[i] for i in changed]
        added = f"{' + '.join(map(str, sizes))} = {sum(sizes)}" if len(sizes) > 1 else f"{sizes[0]}"
        canvas.text(4, y + 20, f"{rank}. merge {left}, {right}", "bold", "start")
        canvas.text(356, y + 20, f"{added} times", "", "end")
        _row(canvas, y + 42, [now[i] for i in changed], left + right)
        said.append(f"{left}, {right}: {added} times")
        cuts, y = now, y + ROW
    canvas.note(4, y + 20, "all words now")
    _row(canvas, y + 42, cuts)
    ends = " and ".join("|".join(tokens) for tokens in cuts)
    return canvas.finish(
        f"The letters of {', '.join(word_counts)} become tokens",
        f"For each merge, the words that it changes: {'; '.join(said)}. "
        f"The tokens become fewer and longer; the last row is {ends}.",
    )


def _row(canvas: Canvas, y: float, words: Sequence[Sequence[str]], new: str = "", times: Sequence[str] = ()) -> None:
    """Draw the tokens of some words side by side, with how often each word occurs above it."""
    x = 4.0
    for i, tokens in enumerate(words):
        start = x
        for token in tokens:
            width = LETTER * len(token) + SIDE
            canvas.token(x + width / 2, y, token, width - 1, "lit" if token == new else "")
            x += width
        if times:
            canvas.note((start + x) / 2, y - 20, times[i], anchor="middle")
        x += GAP
