"""How training moves word vectors: pulled toward the neighbors that came, pushed away from those that were guessed."""

import numpy as np

from clearformer import functional as F

from .kit import Canvas, Drawing, number

NEIGHBORS = ("Dan", "Sara", "eats", "drinks")
U = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])  # a vector for each neighbor, kept as it is
EATEN, DRUNK = np.array([1, 1, 2, 0]) / 4, np.array([1, 1, 0, 2]) / 4  # what comes beside a food, and beside a drink
WORDS = {  # a word's vector at first, and what comes beside it
    "soup": (np.array([0.0, 0.0]), EATEN),
    "rice": (np.array([0.0, np.log(3)]), EATEN),
    "tea": (np.array([0.0, 0.0]), DRUNK),
}
STEPS = 20
UNIT = 84  # pixels of length 1


def path(word: str, n_steps: int = STEPS) -> np.ndarray:
    """Return where gradient descent with a learning rate of 1 takes the vector of a word, (n_steps + 1, 2)."""
    vector, came = WORDS[word]
    places = [vector]
    for _ in range(n_steps):
        predicted = F.softmax(places[-1] @ U.T)  # (4,)
        places.append(places[-1] - (predicted - came) @ U)
    return np.array(places)


def pulled() -> Drawing:
    """Draw the paths of three words: two with the same neighbors, which meet, and one with other neighbors."""
    canvas, x0, y0 = Canvas(330), 182, 132

    def at(place: np.ndarray) -> tuple[float, float]:
        return x0 + UNIT * float(place[0]), y0 - UNIT * float(place[1])

    canvas.add("path", d=f"M4 {y0}H354M{x0} 6V322", class_="off")
    for i in (-2, -1, 1, 2):
        ticks = f"M{x0 + UNIT * i} {y0 - 3}v6" + (f"M{x0 - 3} {y0 - UNIT * i}h6" if i < 2 else "")
        canvas.add("path", d=ticks, class_="off")
        if abs(i) == 1:
            canvas.note(x0 + UNIT * i, y0 + (18 if i > 0 else -8), number(i), anchor="middle")
        if i < 0:
            canvas.note(x0 - 8, y0 - UNIT * i + 5, number(i), anchor="end")
    for name, vector in zip(NEIGHBORS[2:], U[2:], strict=True):
        canvas.line((x0, y0), at(vector), width=2)
        x, y = at(vector)
        side, down, anchor = (12, -8, "start") if name == "eats" else (-10, 14, "end")
        canvas.text(x + side, y + down, f"u_{name}", anchor=anchor)
    for word, role in (("soup", "weight"), ("rice", "query"), ("tea", "key")):
        places = path(word)
        canvas.line(*(at(place) for place in places), kind=role, width=2)
        for place in places[:2]:
            x, y = at(place)
            canvas.add("circle", cx=x, cy=y, r=4, class_=f"head {role}")
    for word, role, (right, down), anchor in (
        ("soup", "weight", (-12, 4), "end"),
        ("rice", "query", (14, -4), "start"),
        ("tea", "key", (4, 24), "middle"),
    ):
        x, y = at(path(word)[-1])
        canvas.text(x + right, y + down, word, role, anchor)
    x, y = at(WORDS["rice"][0])
    canvas.note(x - 10, y + 2, "rice begins here", anchor="end")
    canvas.note(x0 - 10, y0 + 20, "soup and tea", anchor="end")
    canvas.note(x0 - 10, y0 + 36, "begin here", anchor="end")
    return canvas.finish(
        "Two words with the same neighbors meet",
        f"Three word vectors in a plane, moved by {STEPS} steps of training. Soup and tea begin at the origin, and "
        "rice near the vector of drinks. Soup and rice move to the right, in the direction of eats, and down, away "
        "from drinks, and end side by side. Tea moves up and to the left.",
    )
