"""Two processes that share a batch: equal models, different rows, one gradient, the same step."""

from .kit import CELL, Canvas, Drawing

ROWS = (3, 2)  # rows of the batch for each process
COLUMNS = (92, 268)


def two_processes() -> Drawing:
    """Draw both processes side by side, and the sum of their gradients between them."""
    canvas, whole = Canvas(430), sum(ROWS)
    canvas.line((180, 6), (180, 216), arrow=False, kind="off")
    first = 1
    for number, (x, rows) in enumerate(zip(COLUMNS, ROWS, strict=True), start=1):
        canvas.text(x, 20, f"process {number}", "bold")
        canvas.box(x - 62, 32, 124, 34, "the model", role="layer")
        for row in range(rows):
            canvas.vector(x, 92 + CELL * row, [f"row {first + row}"], "", cell=72)
        first += rows
        canvas.line((x - 52, 66), (x - 52, 180))
        canvas.line((x, 80 + CELL * rows), (x, 180))
        canvas.vector(x, 196, [f"gradient g_{number}"], "value", cell=124)
        canvas.line((x, 211), (x, 238), (180 + (14 if x > 180 else -14), 252), kind="value")
        canvas.text(x + (8 if x > 180 else -8), 240, f"× {rows}/{whole}", "weight", "start" if x > 180 else "end")
    canvas.plus(180, 252)
    canvas.line((180, 264), (180, 282))
    canvas.vector(180, 298, ["gradient g of all five rows"], "value", cell=204)
    for number, x in enumerate(COLUMNS, start=1):
        canvas.line((180 + (x - 180) / 2, 313), (x, 338))
        canvas.box(x - 62, 342, 124, 46, "the new model", role="layer", note=f"in process {number}")
    canvas.note(180, 418, "Equal models make the same step, so they stay equal.", anchor="middle")
    return canvas.finish(
        "Data-parallel training with two processes",
        f"Both processes have the same model. Process 1 has rows 1 to {ROWS[0]} of the batch, process 2 rows"
        f" {ROWS[0] + 1} and {whole}. Each computes the gradient of its rows. {ROWS[0]}/{whole} of the first and"
        f" {ROWS[1]}/{whole} of the second add up to the gradient of all {whole} rows, which both processes get. Equal"
        " models make the same step, and stay equal.",
    )
