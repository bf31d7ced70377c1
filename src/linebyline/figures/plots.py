"""Static plots with matplotlib: their style, training runs, the time of a token, and means with their ranges."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BLUE, ORANGE, GREEN, GRAY = "#0072B2", "#D55E00", "#009E73", "0.6"
COLORS, STYLES = (ORANGE, BLUE), ("o--", "s-")  # of means with their intervals
Curves = Mapping[str, Mapping[float, Sequence[float]]]


def plot_style() -> None:
    """Set the book's style of matplotlib: legible sizes, vectors, and a white background that dark pages can show."""
    import matplotlib as mpl

    from .plot_canvas import draw_vectors

    draw_vectors()
    mpl.rc("figure", figsize=(6.4, 3.6), facecolor="white", **{"constrained_layout.use": True})
    mpl.rc("savefig", facecolor="white")
    mpl.rc("font", size=11)
    mpl.rc("axes.spines", top=False, right=False)
    mpl.rc("lines", linewidth=2)


def _subplots(*args: Any, **options: Any) -> tuple["Figure", Any]:
    import matplotlib.pyplot as plt  # here, since most figures do without it

    return plt.subplots(*args, **options)


def training_run(
    checks: Sequence[tuple[int, float, float]], rates: Sequence[float], levels: Mapping[str, float]
) -> "Figure":
    """Plot the learning rate of a training run, and below it bits per byte on known and on unseen text.

    ``checks`` has what was measured after a number of steps, on known and on unseen text; ``rates`` has the rate of
    each step; ``levels`` are bits per byte of other models, drawn as dotted lines.
    """
    fig, (upper, lower) = _subplots(2, 1, figsize=(3.8, 4.6), sharex=True, height_ratios=(1, 3))
    steps, known, unseen = np.array(checks).T
    upper.plot(np.arange(len(rates)) / 1e3, rates, color="0.3")
    upper.set(ylabel="rate", yticks=[0, max(rates)], ylim=(0, 1.1 * max(rates)))
    lower.plot(steps / 1e3, unseen, color=BLUE)
    lower.plot(steps / 1e3, known, color=ORANGE, linestyle="--")
    lower.annotate("unseen text", (steps[-1] / 1e3, unseen[-1] + 0.05), ha="right", color=BLUE)
    lower.annotate("known text", (steps[-1] / 1e3, known[-1] - 0.13), ha="right", color=ORANGE)
    for name, level in levels.items():
        lower.axhline(level, color="black", linestyle=":", linewidth=1.5)
        lower.annotate(f"{name}: {level:.2f}", (steps[-1] / 1e3, level + 0.03), ha="right")
    lower.set(xlabel="steps, in thousands", ylabel="bits per byte")
    lower.set_ylim(known.min() - 0.2, max(unseen.max(), *levels.values()) + 0.2)
    return fig


def loss_curves(
    losses: Mapping[str, np.ndarray], *, level: float, level_name: str, single: np.ndarray, mean_of: int = 50
) -> "Figure":
    """Plot the losses of several training runs against the step: the first, and then means over some steps.

    All are in bits. A dotted line marks a ``level``, and a thin one shows the losses of single batches of one run.
    The scale is logarithmic, so that a bad start and small differences at the end both show.
    """
    fig, axis = _subplots(figsize=(3.8, 4.0))
    axis.plot(np.arange(len(single)) + 1.0, single, color="0.85", linewidth=0.6, label="single batches")
    shown = []
    for (name, curve), color, style in zip(losses.items(), (ORANGE, BLUE, GREEN), ("--", "-", "-."), strict=False):
        means = curve[: len(curve) // mean_of * mean_of].reshape(-1, mean_of).mean(axis=1)
        steps = np.concatenate([[1.0], mean_of * (np.arange(len(means)) + 0.5)])
        shown.append(np.concatenate([curve[:1], means]))
        axis.plot(steps, shown[-1], style, color=color, label=name)
    axis.axhline(level, color="black", linestyle=":", linewidth=1.5, label=level_name)
    means = np.concatenate(shown)
    axis.set(xlabel="step", ylabel="loss, bits per byte", yscale="log")
    axis.set_ylim(0.95 * min(level, means.min()), 1.05 * means.max())
    ticks = range(math.ceil(axis.get_ylim()[0]), math.floor(axis.get_ylim()[1]) + 1)
    axis.set_yticks(ticks, [*map(str, ticks)])
    axis.set_yticks([], minor=True)
    axis.legend(loc="lower center", bbox_to_anchor=(0.45, 1.0), ncols=2, fontsize=10, frameon=False)
    return fig


def accuracy_by_length(lengths: Sequence[int], by_name: Mapping[str, np.ndarray]) -> "Figure":
    """Plot the accuracy of each model, (n_runs, n_groups), against the length of sentences, with the range over runs.

    ``lengths`` has the greatest length of each group of sentences. The name of a model, which may have several lines,
    is written at the end of its curve.
    """
    fig, axis = _subplots(figsize=(4.4, 3.4))
    groups = np.arange(len(lengths))
    starts = [1, *(length + 1 for length in lengths[:-1])]
    for number, (name, accuracies) in enumerate(by_name.items()):
        shifted = groups + 0.06 * (number - (len(by_name) - 1) / 2)  # bars beside each other
        color, end = f"C{number}", (shifted[-1], accuracies.mean(axis=0)[-1])
        _mean_and_range(axis, shifted, accuracies, fmt="osD^v"[number % 5] + "-", capsize=2, color=color)
        axis.annotate(name, end, (10, 0), textcoords="offset points", va="center", color=color)
    axis.set(xlabel="words of the source", ylabel="exact match", xlim=(-0.3, len(lengths) + 0.7))
    axis.set_ylim(min(runs.min() for runs in by_name.values()) - 0.04, 1.03)
    axis.set_xticks(groups, [f"{a}–{b}" for a, b in zip(starts, lengths, strict=True)], fontsize=8.5)
    return fig


def _mean_and_range(axis: Any, x: Any, values: np.ndarray, **style: Any) -> None:
    mean = values.mean(axis=0)
    axis.errorbar(x, mean, yerr=np.stack([mean - values.min(axis=0), values.max(axis=0) - mean]), **style)


def means_with_bars(panels: Mapping[tuple[str, str], Curves], *, size: tuple[float, float] = (7.2, 3.4)) -> "Figure":
    """Plot means with their confidence intervals against a logarithmic axis, in a row of panels.

    ``panels`` has the curves of each panel by the labels of its two axes: for each curve the mean and half the
    length of its interval at each place; an infinite half, as of one seed, has no bar. Two curves in a row share a
    color. ``size`` is in inches.
    """
    shared = len({y for _, y in panels}) == 1
    fig, axes = _subplots(1, len(panels), figsize=size, sharey=shared, squeeze=False)
    for axis, ((x, y), curves) in zip(axes[0], panels.items(), strict=True):
        for number, (name, points) in enumerate(curves.items()):
            means = [point[0] for point in points.values()]
            halves = [point[1] if math.isfinite(point[1]) else 0.0 for point in points.values()]
            style = {"fmt": STYLES[number % 2], "color": COLORS[number // 2 % 2], "label": name}
            axis.errorbar(list(points), means, halves, capsize=3, markersize=4, **style)
        axis.set(xscale="log", xlabel=x, ylabel=y)
        places = sorted({place for points in curves.values() for place in points})
        axis.set_xticks(places, [f"{place:,g}" for place in places])
        axis.minorticks_off()
        if shared:
            axis.label_outer()
    axes[0, 0].legend(fontsize=8)
    return fig
