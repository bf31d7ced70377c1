"""A trained model as its owner sees it: a folder, a loader, and what is inside: guesses between blocks, and heads."""

from typing import Any

from .kit import Canvas, Drawing

FILES = (("config.json", 92), ("model.safetensors", 134), ("tokenizer.json", 108))
# Of the language model of the course, after "Returns the sum of the array elements over a given".
SAID = (("given", ""), ("by", ""), ("by", ""), ("axis", "0.47"), ("axis", "0.85"))
PAIR = ((1, 0), (2, 2))  # block and head, counted from 0: one looks back, the other finds what to copy
STREAM, TOP, STEP = 40, 172, 72


def opened_model() -> Drawing:
    """Draw a folder that is loaded into a model of four blocks, with its guess after each, and two heads marked."""
    canvas = Canvas(TOP + 4 * STEP + 72)
    _number(canvas, 16, 18, 1)
    canvas.text(34, 23, "What is in the folder?", "bold", "start")
    x = 4
    for name, wide in FILES:
        canvas.box(x, 40, wide, 30, "", role="value" if "model" in name else "")
        canvas.note(x + wide / 2, 60, name, "", "middle")
        x += wide + 9
    end = TOP + 4 * STEP + 8
    canvas.line((4, 80), (356, 80), arrow=False)
    canvas.line((STREAM, 80), (STREAM, 104))
    canvas.token(STREAM, 138, SAID[0][0], 70)
    canvas.line((STREAM, 156), (STREAM, end + 32), kind="stream")
    _number(canvas, 78, 102, 2)
    canvas.text(96, 107, "Was it loaded correctly?", "bold", "start")
    _number(canvas, 78, end + 48, 4)
    canvas.text(96, end + 53, "Which heads does it need?", "bold", "start")
    _number(canvas, 254, 138, 3)
    canvas.note(270, 143, "What would", "bold")
    canvas.note(270, 159, "it say now?", "bold")
    for n, (word, p) in enumerate(SAID):
        y = TOP + n * STEP + 8
        canvas.line((STREAM, y), (234, y))
        canvas.token(296, y, f"{word} {p}".strip(), 112, "lit" if n == len(SAID) - 1 else "")
        if n == len(SAID) - 1:
            break
        canvas.box(66, y + 16, 150, 40, "", role="weight")
        canvas.text(76, y + 41, f"block {n + 1}", anchor="start", size=13)
        canvas.line((STREAM, y + 26), (64, y + 26))
        canvas.line((66, y + 48), (STREAM + 3, y + 48))
        for head in range(4):
            place: dict[str, Any] = {"x": 126 + 21 * head, "y": y + 26, "width": 18, "height": 20}
            marked = (n, head) in PAIR
            canvas.add("rect", **place, rx=3, class_="filled query" if marked else "empty weight")
    said = ", ".join(f"after {n} {word} {p}".strip() for n, (word, p) in enumerate(SAID))
    return canvas.finish(
        "A trained model, opened",
        "Four questions about a trained model. First: what is in the folder? It has the files config.json,"
        " model.safetensors and tokenizer.json. Second: was it loaded correctly? Third: what would it say now, after"
        f" some of its blocks? By the number of blocks, its guesses are: {said}. Fourth: which of its heads, four in"
        " each of four blocks, does it need? One head of block 2 and one of block 3 are marked.",
    )


def _number(canvas: Canvas, x: float, y: float, number: int) -> None:
    """Draw the number of a question."""
    canvas.add("circle", cx=x, cy=y, r=11, class_="plus")
    canvas.text(x, y + 5, str(number), "bold", size=13)
