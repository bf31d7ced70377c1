"""Hidden spans, as T5 hides them: what the encoder reads, and what the decoder has to write."""

from collections.abc import Sequence

import torch

from clearformer.training import corrupt_spans

from .kit import Canvas, Drawing

TEXT, HIDDEN = ("the", "boy", "washes", "the", "bicycle", "."), (1, 2, 4)
GAP = 3


def sides(text: Sequence[str] = TEXT, hidden: Sequence[int] = HIDDEN) -> tuple[list[str], list[str]]:
    """Return the words that are read and those that are written, with ⟨0⟩ for the first sentinel."""
    n = len(text)
    chosen = torch.tensor([i in hidden for i in range(n)])
    words = [*text, *(f"⟨{i}⟩" for i in range(n))]
    read, write = corrupt_spans(torch.arange(n), chosen, range(n, 2 * n))
    return [words[i] for i in read], [words[i] for i in write]


def hidden_spans() -> Drawing:
    """Draw a text, with what remains of it above and what is to be written below."""
    read, write = sides()
    canvas, middles = Canvas(264), _middles(TEXT)
    spans = [at for at in range(len(TEXT)) if at in HIDDEN and at - 1 not in HIDDEN]
    canvas.text(4, 20, "the encoder reads", "bold", "start")
    of_read, of_write = _middles(read), _middles(write)
    kept = iter(at for at in range(len(TEXT)) if at not in HIDDEN)
    # The middle of each span, below its sentinel.
    ends = [next(at for at in range(start, len(TEXT) + 1) if at not in HIDDEN) for start in spans]
    first = iter([(middles[start] + middles[end - 1]) / 2 for start, end in zip(spans, ends, strict=True)])
    for word, x in zip(read, of_read, strict=True):
        sentinel = word.startswith("⟨")
        below = next(first) if sentinel else middles[next(kept)]
        canvas.line((below, 118), (x, 62), kind="off" if sentinel else "", arrow=not sentinel)
    canvas.text(4, 258, "the decoder writes", "bold", "start")
    taken, begun = iter(HIDDEN), iter(spans)
    for word, x in zip(write, of_write, strict=True):
        if not word.startswith("⟨"):
            canvas.line((middles[next(taken)], 146), (x, 204))
        elif (start := next(begun, None)) is not None:  # from where the span begins; none begins at the last sentinel
            canvas.line((middles[start] - _width(TEXT[start]) / 2 + 8, 146), (x, 206), kind="off", arrow=False)
    for y, row, places in ((46, read, of_read), (132, TEXT, middles), (220, write, of_write)):
        for i, (word, x) in enumerate(zip(row, places, strict=True)):
            lit = word.startswith("⟨") or (row is TEXT and i in HIDDEN)
            canvas.token(x, y, word, _width(word), "lit" if lit else "")
    return canvas.finish(
        "Hidden spans",
        f"The text is: {' '.join(TEXT)} Hidden are {' '.join(TEXT[i] for i in HIDDEN)}, in {len(spans)} spans. The"
        f" encoder reads {' '.join(read)}, and the decoder writes {' '.join(write)}.",
    )


def _width(word: str) -> float:
    return 22 + 8.2 * len(word)


def _middles(words: Sequence[str]) -> list[float]:
    """Return the middle of each token of a row that is centered."""
    widths = [_width(word) for word in words]
    left = (360 - sum(widths) - GAP * (len(words) - 1)) / 2
    return [left + sum(widths[:i]) + GAP * i + widths[i] / 2 for i in range(len(words))]
