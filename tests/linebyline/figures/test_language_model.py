"""Laws of the plots of a training run and of the time a token takes, and of maps whose tokens are words."""

import matplotlib
import numpy as np
import pytest

from linebyline.figures import attention_stages, token_times, training_run

TIMES = {4_000_000: np.array([2e-3, 1e-3, 64e-3]), 64_000_000: np.array([3e-2, 2e-2, 128e-3])}


@pytest.fixture(autouse=True)
def drawn_nowhere():
    matplotlib.use("agg")
    yield
    matplotlib.pyplot.close("all")


def test_losses_stand_in_the_middle_of_their_runs_and_first_steps_at_their_numbers():
    figure = training_run(np.arange(4.0), 50, np.array([7.0, 6.0]), {"uniform": 4.0, "ours": 2.0})
    left, right = figure.axes
    whole, first = left.lines
    np.testing.assert_allclose(whole.get_xydata(), [(25, 0), (75, 1), (125, 2), (175, 3)])
    np.testing.assert_allclose(first.get_xydata(), [(1, 7), (2, 6)])
    assert [bar.get_width() for bar in right.patches] == [4.0, 2.0]
    assert right.patches[-1].get_facecolor() != right.patches[0].get_facecolor()


def test_times_are_drawn_in_milliseconds_and_megabytes():
    (axis,) = token_times(TIMES, prompt=64).axes
    fetch, step, prompt = axis.lines
    np.testing.assert_allclose(fetch.get_xydata(), [(4, 1), (64, 20)])
    np.testing.assert_allclose(step.get_xydata(), [(4, 2), (64, 30)])
    np.testing.assert_allclose(prompt.get_xydata(), [(4, 1), (64, 2)])


@pytest.mark.parametrize(("tokens", "angle"), [(list("ab"), 0), (["the", "b"], -90)])
def test_words_are_written_upwards_along_the_top(tokens, angle):
    weights, target = np.ones((1, 1, 1, 2, 2)), {"itself": np.arange(2)}
    view = attention_stages(weights, ["only"], tokens, target, description="A map.").spec["vconcat"][0]
    assert view["encoding"]["x"]["axis"]["labelAngle"] == angle
    assert view["encoding"]["y"]["axis"]["labelAngle"] == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: training_run(np.zeros(0), 1, np.zeros(2), {"a": 1.0}), "got 0 and 2 losses and 1 bars"),
        (lambda: training_run(np.zeros(3), 1, np.zeros(0), {"a": 1.0}), "got 3 and 0 losses and 1 bars"),
        (lambda: training_run(np.zeros(3), 1, np.zeros(2), {}), "got 3 and 2 losses and 0 bars"),
        (lambda: token_times({8: np.zeros(2)}, prompt=1), r"need three times for each size, got \[2\]"),
    ],
)
def test_what_cannot_be_drawn_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
