"""What becomes of a text inside the language model of the course, from its tokens to probabilities, with shapes."""

from collections.abc import Callable
from typing import Any

import numpy as np

from .kit import Canvas, Drawing, number

TEXT = "array of the same"
ROWS, STEP, SHOWN = 92, 34, 3  # the middle of the first token, the distance to the next, numbers shown of each row
MIDDLE = 264  # of the column of vectors
LIKELY = 3


def pipeline() -> Drawing:
    """Draw text, tokens, ids, rows, blocks and probabilities, with the numbers of the trained model."""
    from linebyline import pretrained  # imports PyTorch, which other drawings do without

    trained = pretrained.language_model()
    table = trained.model.state_dict()["embedding.table"].numpy()  # (V, d_model)
    vocab_size, d_model = table.shape
    ids = trained.tokenizer.encode(TEXT)
    words = [trained.tokenizer.decode([i]) for i in ids]
    canvas = Canvas(518)
    canvas.text(8, 22, f"“{TEXT}”", "code", "start")
    canvas.note(352, 22, "the text", anchor="end")
    canvas.line((50, 32), (50, ROWS - 42))
    for row, (word, i) in enumerate(zip(words, ids, strict=True)):
        y = ROWS - 24 + row * STEP
        canvas.token(50, y, word.replace(" ", "·"), 84)
        canvas.line((94, y), (110, y))
        canvas.vector(134, y, [str(i)], cell=44)
        canvas.line((158, y), (174, y))
        canvas.vector(MIDDLE, y, [*map(number, table[i, :SHOWN]), "…"], "layer", cell=44)
    end = ROWS + len(ids) * STEP - 24
    for x, name, shape in (
        (50, "tokens", ""),
        (134, "ids", f"({len(ids)},)"),
        (264, "rows", f"({len(ids)}, {d_model})"),
    ):
        canvas.text(x, end + 6, name, "bold", size=13)
        canvas.note(x, end + 22, shape, anchor="middle")
    _scores(canvas, end + 28, len(ids), d_model, vocab_size, len(trained.model.blocks))
    probabilities = _probabilities(trained.model, ids)
    best = np.argsort(-probabilities, kind="stable")[:LIKELY].tolist()
    for row, i in enumerate(best):
        y = end + 214 + row * 31
        canvas.token(184, y, trained.tokenizer.decode([i]).replace(" ", "·"), 84, "lit" if row == 0 else "")
        canvas.bar(292, y, float(probabilities[i]), 112)
    said = ", ".join(f"'{trained.tokenizer.decode([i]).strip()}' with {probabilities[i]:.2f}" for i in best)
    return canvas.finish(
        "From text to probabilities",
        f"The text '{TEXT}' is cut into {len(ids)} tokens. Each token becomes a number, its id, which picks a row of"
        f" {d_model} numbers from a table. The rows, {len(ids)} by {d_model}, keep their shape in the blocks."
        f" The last row is turned into {vocab_size} logits, and these into probabilities of the"
        f" next token: {said}.",
    )


def _scores(canvas: Canvas, y: float, T: int, d_model: int, vocab_size: int, n_blocks: int) -> None:
    """Draw the parts between the rows and the probabilities."""
    canvas.line((MIDDLE, y), (MIDDLE, y + 22))
    canvas.box(MIDDLE - 70, y + 24, 140, 32, f"{n_blocks} blocks", href="attention.html", role="weight")
    canvas.note(180, y + 38, "rows take up what they", anchor="end")
    canvas.note(180, y + 54, "need from earlier rows", anchor="end")
    canvas.line((MIDDLE, y + 56), (MIDDLE, y + 84))
    canvas.note(MIDDLE + 12, y + 75, f"({T}, {d_model})")
    canvas.box(MIDDLE - 70, y + 86, 140, 32, "last layer", href="language_model.html")
    canvas.note(180, y + 100, "logits, one for each", anchor="end")
    canvas.note(180, y + 116, "token it knows", anchor="end")
    canvas.line((MIDDLE, y + 118), (MIDDLE, y + 164))
    canvas.note(MIDDLE + 12, y + 146, f"({T}, {vocab_size})")
    canvas.note(MIDDLE - 12, y + 146, "last row → softmax", anchor="end")
    canvas.text(8, y + 188, "probabilities", "bold", "start", 13)
    canvas.note(8, y + 204, "of the next token")
    canvas.note(8, y + 220, f"({vocab_size},)")


def _probabilities(model: Callable[[Any], Any], ids: list[int]) -> np.ndarray:
    """The probabilities of the token after the text, (vocab_size,)."""
    import torch

    with torch.no_grad():
        result: np.ndarray = model(torch.tensor([ids]))[0, -1].softmax(dim=-1).numpy()
    return result
