"""Laws of the figure of beam search before it is drawn: which words are open, finished or dropped at each step."""

from linebyline.figures import beam_tree

TREE = {(): {"a": 0.5, "b": 0.3, "c": 0.2}, ("a",): {"x": 0.6, ".": 0.4}, ("a", "x"): {".": 1.0}, ("b",): {".": 1.0}}
# Two beams: after a step a and b are open, then "b ." is finished and "a x" open, then nothing is.
RUNS = {
    1: ([[()], [("a",)], [("a", "x")]], [("a", "x", ".")]),
    2: ([[()], [("a",), ("b",)], [("a", "x")]], [("b", "."), ("a", "x", ".")]),
}


def drawn(**changes):
    return beam_tree(**{"tree": TREE, "runs": RUNS, "beams": 2, "description": "A tree.", **changes}).spec


def state(row, step):
    """The expression of the figure, written again."""
    if not row["looked"] or row["depth"] > step:
        return "not looked at"
    if step > row["until"]:
        return "dropped"
    return "finished" if row["finished"] else "open"


def states(spec, beams, step):
    return {row["path"]: state(row, step) for row in spec["data"]["values"] if row["beams"] == beams}


def test_a_beam_whose_continuations_are_dropped_is_dropped_with_them():
    runs = {1: ([[()], [("b",)], [("a", "x")]], [("a", "x", ".")])}  # no search does this: only the drawing counts
    spec = drawn(runs=runs, beams=1)
    assert states(spec, 1, 1)["b"] == "open"
    assert states(spec, 1, 2)["b"] == "dropped"


def test_the_first_child_is_on_its_parents_line_and_no_two_words_meet():
    rows = [row for row in drawn()["data"]["values"] if row["beams"] == 1]
    places = {row["path"]: (row["x"], row["y"]) for row in rows}
    assert places["a"][1] == places["a x"][1] == places["a x ."][1]
    assert len(set(places.values())) == len(rows)
    assert places["a"][1] < places["a ."][1] < places["b"][1] < places["c"][1]
