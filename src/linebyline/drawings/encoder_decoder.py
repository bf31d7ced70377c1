"""The first Transformer: an encoder that reads the source, and a decoder that reads it by cross-attention."""

from collections.abc import Iterable

from .kit import Canvas, Drawing

SOURCE, TARGET = 20, 340  # where the residual streams run
# The boxes: name, side, chapter, x, y, width, height, words, note, role.
BOXES = (
    ("embedding", "encoder", "embeddings", 6, 70, 144, 26, "embedding", "", ""),
    ("positions", "encoder", "positional_encoding", 42, 106, 108, 26, "positions", "", ""),
    ("attention", "encoder", "attention", 42, 152, 108, 40, "attention", "both ways", "weight"),
    ("norm", "encoder", "normalization", 6, 224, 144, 26, "norm", "", ""),
    ("feed-forward", "encoder", "feed_forward", 42, 262, 108, 30, "feed-forward", "", "layer"),
    ("norm", "encoder", "normalization", 6, 324, 144, 26, "norm", "", ""),
    ("embedding", "decoder", "embeddings", 172, 188, 180, 26, "embedding", "", ""),
    ("positions", "decoder", "positional_encoding", 172, 224, 142, 26, "positions", "", ""),
    ("mask", "decoder", "masks_and_cross_attention", 172, 270, 142, 40, "attention", "causal mask", "weight"),
    ("norm", "decoder", "normalization", 172, 342, 180, 26, "norm", "", ""),
    ("cross-attention", "decoder", "masks_and_cross_attention", 172, 386, 130, 34, "cross-attention", "", "weight"),
    ("norm", "decoder", "normalization", 172, 452, 180, 26, "norm", "", ""),
    ("feed-forward", "decoder", "feed_forward", 172, 490, 142, 30, "feed-forward", "", "layer"),
    ("norm", "decoder", "normalization", 172, 552, 180, 26, "norm", "", ""),
    ("lm-head", "decoder", "language_model", 172, 620, 180, 28, "LM head", "", ""),
    ("temperature", "decoder", "temperature_and_penalties", 172, 662, 180, 28, "softmax", "", ""),
    ("search", "decoder", "search", 6, 662, 144, 28, "search", "", ""),
)
TITLE = "The first Transformer: an encoder and a decoder"
DESCRIPTION = (
    "On the left the encoder reads the source, 'Dan loves'. Its embedding, to which positions are added, starts a"
    " residual stream that runs through N blocks of two layers: attention that looks both ways, and feed-forward."
    " On the right the decoder reads the target so far, start sign and 'Dan'. Its stream runs through N blocks of three"
    " layers: attention with a causal mask, cross-attention, and feed-forward. Cross-attention takes its queries from"
    " the decoder's stream, and its keys and values from the last output of the encoder. Every layer adds its result to"
    " the stream, and a norm follows. The LM head and a softmax turn the decoder's last output into probabilities, and"
    " a search chooses the next word, here 'älskar', which is appended to the target."
)


def encoder_decoder(lit: str | Iterable[str] = (), start: str = "<sos>") -> Drawing:
    """Draw the machine with some parts lit, named as in ``BOXES``, or one side: ``encoder_decoder("encoder")``.

    ``start`` is the start sign of the target.

    Raises:
        ValueError: There is no part or side of that name.
    """
    lit = {lit} if isinstance(lit, str) else set(lit)
    names = {name for name, *_ in BOXES} | {side for _, side, *_ in BOXES}
    if strange := lit - names:
        raise ValueError(f"no part {sorted(strange)}: there are {sorted(names)}")
    canvas = Canvas(698)
    _encoder(canvas)
    _decoder(canvas, start)
    for name, side, chapter, x, y, width, height, words, note, role in BOXES:
        roles = f"{role} lit" if lit & {name, side} else role
        canvas.box(x, y, width, height, words, role=roles, note=note, part=name, href=f"{chapter}.html")
    return canvas.finish(TITLE, DESCRIPTION)


def _encoder(canvas: Canvas) -> None:
    """Draw the source, the encoder's stream, and where its last output goes."""
    canvas.text(78, 18, "encoder", "bold")
    canvas.note(170, 18, "reads the source once,")
    canvas.note(170, 35, "all its words together")
    canvas.token(47, 44, "Dan", 54)
    canvas.token(109, 44, "loves", 62)
    canvas.line((78, 58), (78, 68))
    canvas.frame(1, 142, 155, 234, "× N")
    for top, end in ((96, 224), (250, 324)):
        canvas.line((SOURCE, top), (SOURCE, end), kind="stream", arrow=False)
    canvas.line((SOURCE, 350), (SOURCE, 409), kind="stream", arrow=False)
    canvas.line((42, 119), (SOURCE + 12, 119))
    canvas.plus(SOURCE, 119)
    for y, height in ((152, 40), (262, 30)):
        _layer(canvas, SOURCE, 42, y, height)
    for role, y, words, below in (("key", 393, "keys", -6), ("value", 408, "values", 16)):
        canvas.line((SOURCE, y), (170, y), kind=role)
        canvas.note(84, y + below, words, role, "middle")


def _decoder(canvas: Canvas, start: str) -> None:
    """Draw the target, the decoder's stream, and the next word."""
    canvas.text(262, 134, "decoder", "bold")
    wide = 8 * len(start) + 24
    canvas.token(227, 162, start, wide)
    canvas.token(261 + wide / 2, 162, "Dan", 54)
    canvas.line((262, 176), (262, 186))
    canvas.frame(164, 260, 194, 344)
    canvas.note(174, 594, "× N")
    for top, end in ((214, 342), (368, 452), (478, 552), (578, 620)):
        canvas.line((TARGET, top), (TARGET, end), kind="stream", arrow=end == 620)
    canvas.line((314, 237), (TARGET - 12, 237))
    canvas.plus(TARGET, 237)
    for side, y, height, role in ((314, 270, 40, ""), (302, 386, 34, "query"), (314, 490, 30, "")):
        _layer(canvas, TARGET, side, y, height, role)
    canvas.note(308, 382, "queries", "query", "middle")
    canvas.line((262, 648), (262, 660))
    canvas.line((172, 676), (152, 676))
    canvas.line((78, 662), (78, 646))
    canvas.token(78, 630, "älskar", 72, "lit")
    canvas.note(78, 572, "the next word: append", anchor="middle")
    canvas.note(78, 589, "it to the target,", anchor="middle")
    canvas.note(78, 606, "and start again", anchor="middle")


def _layer(canvas: Canvas, stream: float, side: float, y: float, height: float, role: str = "") -> None:
    """Draw how a layer, whose nearer ``side`` is given, reads the stream and adds to it; what it reads has a role."""
    right = 1 if side > stream else -1
    middle, back = side + 54 * right, y + height + 14
    canvas.line((stream, y + height / 2), (side - 2 * right, y + height / 2), kind=role)
    canvas.line((middle, y + height), (middle, back), (stream + 12 * right, back))
    canvas.plus(stream, back)
