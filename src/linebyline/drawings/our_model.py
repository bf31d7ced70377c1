"""Our model, the GPT that the course has built: its parts from top to bottom, with shapes and parameters."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from .kit import Canvas, Drawing

STREAM, LEFT, WIDE = 46, 104, 138  # the middle of the stream, and the boxes
VOCAB, D_MODEL, N_HEADS, N_LAYERS = 1024, 64, 4, 2


class Part(NamedTuple):
    """A row of the drawing."""

    words: str
    role: str
    page: str
    added: bool  #: Whether the part adds to the stream, and does not replace it
    parameters: int


def parts() -> list[Part]:
    """Return the parts of one block and what is around it, with the parameters that our model really has."""
    from linebyline.our_model import gpt  # imports PyTorch, which other drawings do without

    model: Sequence[Any] = gpt(VOCAB, D_MODEL, N_HEADS, N_LAYERS)  # type: ignore[no-untyped-call]

    def count(module: Any) -> int:
        return sum(parameter.numel() for parameter in module.parameters())

    table, heads, forward, *_, norm, lm_head = model
    return [
        Part("Embedding", "", "embeddings", False, count(table)),
        Part("LayerNorm", "layer", "normalization", True, count(heads[0])),
        Part(f"{N_HEADS} Heads, rotary", "weight", "multi_head_attention", True, count(heads[1])),
        Part("LayerNorm", "layer", "normalization", True, count(forward[0])),
        Part("FeedForward", "layer", "feed_forward", True, count(forward[1])),
        Part("LayerNorm", "layer", "normalization", False, count(norm)),
        Part("Linear", "", "language_model", False, count(lm_head)),
    ]


def our_model() -> Drawing:
    """Draw our model with its stream, and a column with the parameters of each part."""
    canvas, (table, *block, norm, lm_head) = Canvas(500), parts()
    inside = N_LAYERS * sum(part.parameters for part in block)
    total = table.parameters + inside + norm.parameters + lm_head.parameters
    canvas.note(352, 16, "parameters", anchor="end")
    canvas.note(STREAM, 16, "ids, (T,)", "", "middle")
    canvas.line((STREAM, 24), (STREAM, 42))
    _on_stream(canvas, 44, table)
    canvas.line((STREAM, 78), (STREAM, 362), kind="stream", arrow=False)
    canvas.note(STREAM + 12, 100, f"(T, {D_MODEL}) all the way down")
    canvas.frame(4, 112, 352, 232, f"the block, {N_LAYERS} times: {inside:,}")
    for y, (first, second) in zip((124, 224), (block[:2], block[2:]), strict=True):
        canvas.line((STREAM, y + 16), (LEFT - 2, y + 16))
        for part, at in ((first, y), (second, y + 44)):
            canvas.box(LEFT, at, WIDE, 32, part.words, role=part.role, href=f"{part.page}.html")
            canvas.text(344, at + 21, f"{part.parameters:,}", anchor="end")
        canvas.line((LEFT + WIDE / 2, y + 32), (LEFT + WIDE / 2, y + 42))
        canvas.line((LEFT, y + 60), (STREAM + 12, y + 60))
        canvas.plus(STREAM, y + 60)
    _on_stream(canvas, 364, norm)
    canvas.line((STREAM, 398), (STREAM, 416))
    _on_stream(canvas, 418, lm_head)
    canvas.line((STREAM, 452), (STREAM, 474))
    canvas.note(4, 492, f"logits, (T, {VOCAB})", "")
    canvas.text(352, 492, f"together {total:,}", "bold", "end")
    said = ", ".join(f"{part.words} with {part.parameters:,}" for part in block)
    return canvas.finish(
        "Our model from ids to logits",
        f"The ids pick rows of the embedding, {table.parameters:,} parameters, and the rows, T by {D_MODEL}, run down a"
        f" stream. In each of {N_LAYERS} blocks, two branches read the stream and add to it: {said}. A last LayerNorm"
        f" and a Linear layer with {lm_head.parameters:,} parameters give {VOCAB} logits for each position. Together"
        f" these are {total:,} parameters.",
    )


def _on_stream(canvas: Canvas, y: float, part: Part) -> None:
    """Draw a part that the whole stream passes through."""
    canvas.box(4, y, 238, 34, part.words, role=part.role, href=f"{part.page}.html")
    canvas.text(344, y + 22, f"{part.parameters:,}", anchor="end")
