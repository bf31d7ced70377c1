"""Static plots of means over seeds, with the interval of each."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLORS, STYLES = ("#D55E00", "#0072B2"), ("o--", "s-")
Panel = tuple[str, str]  # what the axes are of
Curves = Mapping[str, Mapping[float, Sequence[float]]]


def means_with_bars(panels: Mapping[Panel, Curves], *, size: tuple[float, float] = (7.2, 3.4)) -> "Figure":
    """Plot means against something on a logarithmic axis, in a row of panels; two curves in a row share a color.

    Args:
        panels: The curves of each panel, by what its two axes are of: for each curve, by its name, the mean and half
            the length of its interval at each place. An infinite half, as of one seed, draws no bar.
        size: Width and height, in inches.

    Raises:
        ValueError: there is no panel, or one has no curve.

    Example:
        >>> import matplotlib
        >>> matplotlib.use("agg")
        >>> fig = means_with_bars({("rate", "loss"): {"ours": {1e-3: (5.0, 0.1), 1e-2: (4.5, math.inf)}}})
        >>> fig.axes[0].get_xlabel(), fig.axes[0].get_xscale()
        ('rate', 'log')
    """
    import matplotlib.pyplot as plt

    if not panels or not all(panels.values()):
        raise ValueError(f"need a curve in each panel, got {[len(curves) for curves in panels.values()]}")
    shared = len({y for _, y in panels}) == 1
    fig, axes = plt.subplots(1, len(panels), figsize=size, sharey=shared, squeeze=False)
    for axis, ((x, y), curves) in zip(axes[0], panels.items(), strict=True):
        for number, (name, points) in enumerate(curves.items()):
            means = [point[0] for point in points.values()]
            halves = [point[1] if math.isfinite(point[1]) else 0.0 for point in points.values()]
            look = {"fmt": STYLES[number % 2], "color": COLORS[number // 2 % 2], "label": name}
            axis.errorbar(list(points), means, halves, capsize=3, markersize=4, **look)
        axis.set(xscale="log", xlabel=x, ylabel=y)
        places = sorted({place for points in curves.values() for place in points})
        axis.set_xticks(places, [f"{place:,g}" for place in places])
        axis.minorticks_off()
        if shared:
            axis.label_outer()
    axes[0, 0].legend(fontsize=8)
    return fig
