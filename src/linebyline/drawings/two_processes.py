"""Two processes that share a batch: equal models, different windows, one gradient, the same step."""

from .kit import CELL, Canvas, Drawing

ROWS = (3, 2)  # rows of the batch for each process
COLUMNS = (92, 268)


def two_processes() -> Drawing:
    """Draw both processes side by side, and the sum of their gradients in each."""
    canvas, whole = Canvas(420), sum(ROWS)
    canvas.line((180, 6), (180, 200), arrow=False, kind="off")
    first = 1
    for number, (x, rows) in enumerate(zip(COLUMNS, ROWS, strict=True)):
        canvas.text(x, 20, f"rank {number}", "bold")
        canvas.box(x - 62, 32, 124, 34, "the model", role="layer")
        for row in range(rows):
            canvas.vector(x, 92 + CELL * row, [f"window {first + row}"], "", cell=84)
        first += rows
        canvas.line((x - 54, 66), (x - 54, 180))
        canvas.line((x, 80 + CELL * rows), (x, 180))
        canvas.vector(x, 196, [f"gradient g_{number} × {rows}/{whole}"], "value", cell=148)
        sent = x + (26 if x > 180 else -26)
        canvas.line((sent, 211), (sent, 272), kind="value")
        canvas.line((x, 211), (360 - x + (46 if x > 180 else -46), 272), kind="value")
    for number, x in enumerate(COLUMNS):
        canvas.vector(x, 288, [f"g of all {whole} windows"], "value", cell=148)
        canvas.line((x, 303), (x, 328))
        canvas.box(x - 62, 332, 124, 46, "the new model", role="layer", note=f"of rank {number}")
    canvas.note(180, 408, "Equal models make the same step, so they stay equal.", anchor="middle")
    return canvas.finish(
        "Data-parallel training with two processes",
        f"Both processes have the same model. Rank 0 has windows 1 to {ROWS[0]} of the batch, rank 1 windows"
        f" {ROWS[0] + 1} and {whole}. Each computes the gradient of its windows. {ROWS[0]}/{whole} of the first and"
        f" {ROWS[1]}/{whole} of the second add up to the gradient of all {whole} windows, which each process gets."
        " Equal models make the same step, and stay equal.",
    )
