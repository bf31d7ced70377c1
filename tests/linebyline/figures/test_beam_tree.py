"""Laws of the figure of beam search before it is drawn: which words are open, finished or dropped at each step."""

from linebyline.figures import beam_tree

TREE = {
    (): {"a": 0.5, "b": 0.3, "c": 0.2},
    ("a",): {"x": 0.6, ".": 0.4},
    ("a", "x"): {".": 1.0},
    ("b",): {".": 1.0},
}
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


def test_words_are_open_then_finished_or_dropped():
    spec = drawn()
    start = dict.fromkeys(("a", "a x", "a x .", "a .", "b", "b .", "c"), "not looked at")
    assert states(spec, 2, 0) == {"": "open"} | start
    first = {"a": "open", "b": "open", "c": "dropped"}
    assert states(spec, 2, 1) == {"": "open"} | start | first
    second = first | {"a x": "open", "a .": "dropped", "b .": "finished"}
    assert states(spec, 2, 2) == {"": "open"} | start | second
    assert states(spec, 2, 3) == {"": "open"} | start | second | {"a x .": "finished"}


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


def test_headline_and_table_list_what_is_open_and_finished():
    spec = drawn()
    (heads,) = (param["value"] for param in spec["params"] if param["name"] == "heads")
    assert heads[1][2] == ["1 open, 1 finished", "likeliest finished: b ."]
    table = spec["usermeta"]["table"]
    assert table["columns"] == ["1 beam", "2 beams"]
    assert table["rows"] == [0, 1, 2, 3]
    assert table["cells"][5] == "open: a x (−1.204); finished: b . (−1.204)"
    assert table["cells"][0] == "open: the start (0.000)"
