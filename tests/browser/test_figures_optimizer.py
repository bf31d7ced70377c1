"""Laws of the optimizer's path: the page makes PyTorch's steps, by keyboard."""

import numpy as np
import pytest
import torch

from linebyline.figures.optimizer_path import LARGEST_LOSS, OPTIMIZERS, STEPS
from linebyline.loss_surfaces import SURFACES, batch_noise
from tests.browser.figure import close

NAMES = list(SURFACES)
SETTINGS = """figure => Object.fromEntries([...figure.querySelectorAll('[data-signal]')]
  .filter(({type, checked}) => type !== 'radio' || checked)
  .map(({dataset, type, labels: [label], value}) =>
    [dataset.signal, type === 'radio' ? label.innerText.trim() : Number(value)]))"""
START = {"surface": "narrow bowl", "optimizer": "gradient descent", "lr": 0.18, "beta_1": 0.9, "beta_2": 0.999}


@pytest.fixture
def figure(live_figure):
    return live_figure("training")


def control(figure, name):
    return figure.root.locator(f"[data-signal={name}]")


def choose(figure, surface, optimizer):
    control(figure, "surface").nth(NAMES.index(surface)).check()
    control(figure, "optimizer").nth(OPTIMIZERS.index(optimizer)).check()


@np.errstate(over="ignore", invalid="ignore")
def path(surface, optimizer, lr, beta_1, beta_2, warmup):
    """Points (STEPS + 1, 2), by PyTorch's optimizers, and the loss at each; where a path leaves, none is finite."""
    theta = torch.tensor(SURFACES[surface].start, dtype=torch.float64, requires_grad=True)
    steps = {
        "gradient descent": lambda: torch.optim.SGD([theta], lr),
        "momentum": lambda: torch.optim.SGD([theta], lr, momentum=beta_1),
        "Adam": lambda: torch.optim.Adam([theta], lr, (beta_1, beta_2)),
        "AdamW": lambda: torch.optim.AdamW([theta], lr, (beta_1, beta_2), weight_decay=0.1),
    }[optimizer]()
    points = [theta.detach().clone()]
    for n, noise in enumerate(batch_noise(STEPS), start=1):
        steps.param_groups[0]["lr"] = lr * min(1, n / max(1, warmup))
        theta.grad = torch.from_numpy(SURFACES[surface].gradient(theta.detach().numpy(), noise))
        steps.step()
        points.append(theta.detach().clone())
    points = torch.stack(points).numpy()
    return points, SURFACES[surface].loss(points.T)


def check(figure):
    """Compare all that is drawn with PyTorch; return the points and how many of them are shown."""
    points, losses = path(**figure.root.evaluate(SETTINGS))
    shown = losses < LARGEST_LOSS
    rows = figure.marks("loss_line_marks")
    assert [row["shown"] for row in rows] == shown.tolist()
    got = [[row["x"], row["y"], row["loss"]] for row in rows if row["shown"]]
    close(got, np.c_[points, losses][shown], rtol=1e-12)
    assert len(figure.marks("path_marks")) == shown.sum()
    updates = np.abs(np.diff(points[shown], axis=0)).max(axis=1)
    got = [row["update"] for row in figure.marks("update_line_marks") if row["shown"]]
    close(got, updates, rtol=1e-12)
    return points, shown.sum()


@pytest.mark.parametrize("surface", NAMES)
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_the_path_is_pytorchs_while_the_keyboard_moves(figure, surface, optimizer):
    choose(figure, surface, optimizer)
    control(figure, "lr").fill("0.05")  # where no path diverges
    before, _ = check(figure)
    keys = [("warmup", "PageUp"), ("lr", "ArrowRight"), ("beta_1", "ArrowLeft"), ("beta_2", "PageDown")]
    unused = {"gradient descent": {"beta_1", "beta_2"}, "momentum": {"beta_2"}}.get(optimizer, set())
    for name, key in keys:
        control(figure, name).press(key)
        after, _ = check(figure)
        assert np.array_equal(after, before) == (name in unused)
        before = after


def test_gradient_descent_diverges_above_two_by_the_curvature(figure):
    rate = control(figure, "lr")
    rate.fill("0.2")  # the curvature across is 10
    points, _ = check(figure)
    close(np.abs(points[:, 1]), 1)
    assert "After 60 steps" in figure.marks("end_marks")[0]["label"]
    for _ in range(3):
        rate.press("ArrowRight")
        points, shown = check(figure)
        assert (np.diff(np.abs(points[:, 1])) > 0).all()
    (end,) = figure.marks("end_marks")
    assert end["label"] == f"It diverges: its loss passes 1,000,000 at step {shown}"


@pytest.mark.parametrize(("surface", "lr"), [("narrow bowl", "0.3"), ("curved valley", "0.5")])
def test_the_numbers_below_follow_and_end_where_the_path_does(figure, surface, lr):
    choose(figure, surface, "gradient descent")
    control(figure, "lr").fill(lr)
    rows = figure.root.locator("tbody tr").evaluate_all("all => all.map(row => [...row.cells].map(c => c.textContent))")
    points, shown = check(figure)
    assert 1 < shown < STEPS
    assert [row[0] for row in rows] == [str(n) for n in range(STEPS + 1)]
    got = np.array([row[1:] for row in rows[:shown]], dtype=float)
    updates = np.abs(np.diff(points[:shown], axis=0, prepend=points[:1])).max(axis=1)
    losses = SURFACES[surface].loss(points[:shown].T)
    close(got, np.c_[points[:shown], losses, updates], atol=5.001e-4)
    assert {cell for row in rows[shown:] for cell in row[1:]} == {"—"}


def test_the_drawing_keeps_its_place_whatever_is_chosen(figure):
    frames = "all => all.map(e => e.getAttribute('transform'))"
    places = figure.root.locator("g.mark-group.role-scope > g").evaluate_all(frames)
    assert len(places) == 4
    for surface in NAMES:
        choose(figure, surface, "gradient descent")
        control(figure, "lr").press("End")
        assert figure.root.locator("g.mark-group.role-scope > g").evaluate_all(frames) == places


def test_without_scripts_the_start_is_shown_with_its_numbers(without_scripts, figures_site):
    without_scripts.goto(f"{figures_site}/book/training.html")
    figure = without_scripts.locator(".live-figure")
    assert figure.locator(".live-view svg").is_visible()
    cells = np.array([float(cell) for cell in figure.locator("td").all_text_contents()]).reshape(STEPS + 1, 4)
    points, losses = path(**START, warmup=0)
    close(cells[:, :3], np.c_[points, losses], atol=5.001e-4)
