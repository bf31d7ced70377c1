"""Laws of the projection: what it draws is what NumPy computes, and the keyboard reaches every token and stage."""

import json

import numpy as np

PAGE = "book/embeddings.html"
POINTS = """figure => [...figure.querySelectorAll('g.points_marks path')].map(path => {
  const {stage, token, x, y} = path.__data__.datum;
  const place = path.getAttribute('transform').match(/-?[\\d.]+/g).map(Number);
  return {stage, token, x, y, place};
})"""
BARS = "figure => [...figure.querySelectorAll('g.bars_marks path')].map(path => path.__data__.datum)"


def slider(figure, label):
    return figure.get_by_label(label, exact=True)


def names(figure, signal):
    """The names of the tokens or of the stages, from the specification."""
    spec = json.loads(figure.locator("script").text_content())["spec"]
    formula = next(s["update"] for s in spec["signals"] if s["name"] == signal)
    return json.loads(formula[: formula.index("]") + 1])


def test_tokens_are_drawn_at_their_numbers(figure):
    for key in ("Home", "ArrowRight", "End"):
        slider(figure, "Stage of training").press(key)
        points = figure.evaluate(POINTS)
        numbers = np.array([[p["x"], p["y"]] for p in points])
        places = np.array([p["place"] for p in points])
        for axis in (0, 1):
            slope, offset = np.polyfit(numbers[:, axis], places[:, axis], 1)
            np.testing.assert_allclose(places[:, axis], slope * numbers[:, axis] + offset, atol=1e-3)
            assert (slope > 0) == (axis == 0)  # pixels count downwards


def test_stages_share_one_plane_and_differ(figure):
    seen = {}
    for key in ("Home", "End"):
        slider(figure, "Stage of training").press(key)
        points = figure.evaluate(POINTS)
        assert [p["token"] for p in points] == list(range(len(points)))
        seen[key] = np.array([[p["x"], p["y"]] for p in points])
    np.testing.assert_allclose(seen["End"].mean(axis=0), 0, atol=1e-3)  # the plane belongs to the last stage
    assert seen["End"].std() > seen["Home"].std()


def test_the_keyboard_reaches_every_token_and_twins_are_nearest(figure):
    tokens = names(figure, "chosen_name")
    slider(figure, "Stage of training").press("End")
    slider(figure, "Token").press("Home")
    nearest = {}
    for token in tokens:
        bars = figure.evaluate(BARS)
        assert {tokens[bar["token"]] for bar in bars} == {token}
        assert slider(figure, "Token").get_attribute("aria-valuetext") == token
        cosines = [bar["cosine"] for bar in sorted(bars, key=lambda bar: bar["rank"])]
        assert cosines == sorted(cosines, reverse=True)
        nearest[token] = bars[0]["name"]
        slider(figure, "Token").press("ArrowRight")
    assert nearest["value·1"] == "value·2"
    assert nearest["left"] == "right"


def test_the_pointer_chooses_a_token(figure):
    figure.locator("g.points_marks path").nth(5).hover(force=True)
    token = names(figure, "chosen_name")[5]
    figure.page.wait_for_function(
        "([f, token]) => f.querySelector('[data-output=chosen_name]').value === token",
        arg=[figure.element_handle(), token],
    )
