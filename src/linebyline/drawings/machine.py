"""The whole machine: a decoder-only Transformer, and the first one with an encoder and a decoder."""

from collections.abc import Iterable

from .kit import Canvas, Drawing

STREAM = 73  # where the residual stream runs
# The boxes of the decoder: name, chapter, x, y, width, height, words, role.
BOXES = (
    ("tokenizer", "tokenization", 8, 42, 130, 30, "tokenizer", ""),
    ("embedding", "embeddings", 8, 90, 130, 30, "embedding", ""),
    ("positions", "positional_encoding", 176, 135, 114, 30, "positions", ""),
    ("norm", "normalization", 102, 184, 52, 30, "norm", ""),
    ("attention", "attention", 176, 184, 114, 116, "attention", "weight"),
    ("mask", "masks_and_cross_attention", 182, 216, 47, 30, "mask", "weight"),
    ("heads", "multi_head_attention", 233, 216, 52, 30, "heads", "weight"),
    ("rotary", "relative_positions", 182, 254, 103, 30, "rotary", "weight"),
    ("norm", "normalization", 102, 318, 52, 30, "norm", ""),
    ("feed-forward", "feed_forward", 176, 312, 114, 42, "feed-forward", "layer"),
    ("norm", "normalization", 8, 432, 130, 30, "norm", ""),
    ("lm-head", "language_model", 8, 480, 130, 30, "LM head", ""),
    ("temperature", "temperature_and_penalties", 8, 528, 130, 30, "softmax", ""),
    ("sampling", "sampling", 176, 510, 114, 30, "sampling", ""),
    ("search", "search", 176, 548, 114, 30, "beam search", ""),
)
TITLE = "A decoder-only Transformer"
DESCRIPTION = (
    "The tokenizer cuts the text 'Return the' into tokens. The embedding gives each token a vector, to which its"
    " position is added. The vectors run down a thick line, the residual stream, through N blocks. In each block,"
    " attention reads the stream through a norm and adds its result to it, and then the feed-forward layer does the"
    " same. Attention consists of heads, has a mask, and may use rotary positions. A last norm and the LM head give a"
    " score for each token of the vocabulary, and a softmax turns the scores into probabilities. Sampling or beam"
    " search chooses the next token, here 'sum', which is appended to the text."
)


def machine(lit: str | Iterable[str] = ()) -> Drawing:
    """Draw the decoder with some of its parts lit, named as in ``BOXES``: ``machine("attention")``.

    Raises:
        ValueError: There is no part of that name.
    """
    lit = {lit} if isinstance(lit, str) else set(lit)
    if strange := lit - {name for name, *_ in BOXES}:
        raise ValueError(f"no part {sorted(strange)}: there are {sorted({name for name, *_ in BOXES})}")
    canvas = Canvas(632, width=300)
    _lines(canvas)
    for name, chapter, x, y, width, height, words, role in BOXES:
        roles = f"{role} lit" if name in lit else role
        canvas.box(x, y, width, height, words, role=roles, part=name, href=f"{chapter}.html")
    return canvas.finish(TITLE, DESCRIPTION)


def _lines(canvas: Canvas) -> None:
    """Draw the text, the stream, and what leads from it to the parts and back."""
    canvas.token(37, 18, "Return", 66)
    canvas.token(107, 18, "the", 58)
    canvas.note(148, 23, "the text so far")
    canvas.line((STREAM, 32), (STREAM, 40))
    canvas.note(148, 62, "its tokens, as numbers")
    canvas.line((STREAM, 72), (STREAM, 88))
    canvas.note(148, 110, "a vector for each token")
    canvas.line((STREAM, 120), (STREAM, 430), kind="stream")
    canvas.line((176, 150), (85, 150))
    canvas.plus(STREAM, 150)
    canvas.frame(4, 172, 292, 248, "× N blocks")
    canvas.note(14, 260, "residual")
    canvas.note(14, 276, "stream")
    for y in (199, 333):
        canvas.line((STREAM, y), (100, y))
        canvas.line((154, y), (174, y))
    canvas.line((176, 292), (85, 292))
    canvas.plus(STREAM, 292)
    canvas.line((233, 354), (233, 386), (85, 386))
    canvas.plus(STREAM, 386)
    canvas.line((STREAM, 462), (STREAM, 478))
    canvas.line((STREAM, 510), (STREAM, 526))
    canvas.note(148, 492, "a score for each token")
    canvas.line((138, 543), (158, 543), (158, 525), (174, 525))
    canvas.line((158, 543), (158, 563), (174, 563))
    canvas.line((290, 525), (296, 525), (296, 610), (264, 610))
    canvas.line((290, 563), (296, 563), arrow=False)
    canvas.token(233, 610, "sum", 58, "lit")
    canvas.note(196, 607, "the next token: append it,", anchor="end")
    canvas.note(196, 623, "and start again", anchor="end")
