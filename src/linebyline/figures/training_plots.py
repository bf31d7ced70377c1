"""Static plots of a training run, and of the time that a token takes."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BLUE, ORANGE, GRAY = "#0072B2", "#D55E00", "0.6"


def training_run(losses: np.ndarray, every: int, first: np.ndarray, bits: Mapping[str, float]) -> "Figure":
    """Plot the loss of a training and of its first steps and, beside it, bits per byte of several models as bars.

    Args:
        losses: Nats for a token, the mean of each run of ``every`` steps.
        every: Steps in a run.
        first: Nats for a token at each of the first steps.
        bits: Bits per byte of each model by its name; the last one is highlighted.

    Raises:
        ValueError: there are no losses, or no bars.

    Example:
        >>> import matplotlib
        >>> matplotlib.use("agg")
        >>> len(training_run(np.ones(4), 50, np.ones(3), {"uniform": 4.0, "ours": 2.0}).axes)
        2
    """
    import matplotlib.pyplot as plt

    if not len(losses) or not len(first) or not bits:
        raise ValueError(f"need losses and a bar, got {len(losses)} and {len(first)} losses and {len(bits)} bars")
    fig, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.4), layout="constrained")
    left.plot(every * (np.arange(len(losses)) + 0.5), losses, color=BLUE, label="the whole training")
    left.plot(np.arange(len(first)) + 1, first, color=ORANGE, label="its first steps")
    left.set(xscale="log", xlabel="step", ylabel="loss, nats for a token")
    left.legend()
    marks = right.barh(list(bits), list(bits.values()), color=[GRAY] * (len(bits) - 1) + [BLUE])
    right.bar_label(marks, fmt="%.2f", padding=3)
    right.invert_yaxis()
    right.set(xlabel="bits per byte", xlim=(0, 1.2 * max(bits.values())))
    return fig


def token_times(times: Mapping[int, np.ndarray], prompt: int) -> "Figure":
    """Plot the time for a token against the bytes of the weights, on logarithmic axes.

    Args:
        times: For each number of bytes, seconds of a step, of fetching the bytes, and of a whole prompt.
        prompt: Tokens in the prompt.

    Raises:
        ValueError: an entry does not hold three times.

    Example:
        >>> import matplotlib
        >>> matplotlib.use("agg")
        >>> fig = token_times({10**6: np.array([2e-3, 1e-3, 8e-3]), 10**8: np.array([2e-2, 1e-2, 8e-2])}, prompt=64)
        >>> [len(line.get_xdata()) for line in fig.axes[0].lines]
        [2, 2, 2]
    """
    import matplotlib.pyplot as plt

    if any(len(entry) != 3 for entry in times.values()):
        raise ValueError(f"need three times for each size, got {[len(entry) for entry in times.values()]}")
    megabytes = np.array(list(times)) / 1e6
    step, fetch, whole = 1e3 * np.array(list(times.values())).T
    fig, axis = plt.subplots(figsize=(5.6, 3.4))
    axis.loglog(megabytes, fetch, "-", color=GRAY, label="fetching the weights once")
    axis.loglog(megabytes, step, "o", color=BLUE, label="a step")
    axis.loglog(megabytes, whole / prompt, "x", color=ORANGE, label="a token of a prompt")
    axis.set(xlabel="weights, MB", ylabel="ms for a token")
    axis.legend()
    return fig


def accuracy_by_length(lengths: Sequence[int], by_name: Mapping[str, np.ndarray]) -> "Figure":
    """Plot what share of sentences each model gets right against their length, with the range over its trainings.

    Args:
        lengths: The greatest length of each group of sentences.
        by_name: For each model the shares, (n_trainings, n_groups).

    Raises:
        ValueError: a model has another number of groups.

    Example:
        >>> import matplotlib
        >>> matplotlib.use("agg")
        >>> fig = accuracy_by_length([5, 8], {"ours": np.ones((3, 2)), "theirs": np.zeros((3, 2))})
        >>> [text.get_text() for text in fig.axes[0].get_legend().get_texts()]
        ['ours', 'theirs']
    """
    import matplotlib.pyplot as plt

    for name, shares in by_name.items():
        if shares.ndim != 2 or shares.shape[1] != len(lengths):
            raise ValueError(f"{name} must be (n_trainings, {len(lengths)}), got {shares.shape}")
    fig, axis = plt.subplots(figsize=(6.2, 3.4))
    groups = np.arange(len(lengths))
    starts = [1, *(length + 1 for length in lengths[:-1])]
    for number, (name, shares) in enumerate(by_name.items()):
        mean = shares.mean(axis=0)
        ranges = np.stack([mean - shares.min(axis=0), shares.max(axis=0) - mean])
        shifted = groups + 0.06 * (number - (len(by_name) - 1) / 2)  # bars beside each other
        axis.errorbar(shifted, mean, yerr=ranges, fmt="osD^v"[number % 5] + "-", capsize=2, label=name)
    axis.set(xlabel="words of the source", ylabel="right word for word", ylim=(-0.03, 1.03))
    axis.set_xticks(groups, [f"{a}–{b}" for a, b in zip(starts, lengths, strict=True)])
    axis.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False)  # inside, curves go anywhere
    return fig


def accuracy_by_labels(sizes: Sequence[int], by_name: Mapping[str, np.ndarray], chance: float) -> "Figure":
    """Plot what share each model gets right against the number of its labels, with the range over its trainings.

    Args:
        sizes: Numbers of labels.
        by_name: For each model the shares, (n_trainings, n_sizes).
        chance: The share of who guesses blindly.

    Raises:
        ValueError: a model has another number of sizes.

    Example:
        >>> import matplotlib
        >>> matplotlib.use("agg")
        >>> fig = accuracy_by_labels([10, 100], {"ours": np.ones((3, 2))}, chance=0.25)
        >>> fig.axes[0].get_xlabel()
        'labels'
    """
    import matplotlib.pyplot as plt

    for name, shares in by_name.items():
        if shares.ndim != 2 or shares.shape[1] != len(sizes):
            raise ValueError(f"{name} must be (n_trainings, {len(sizes)}), got {shares.shape}")
    fig, axis = plt.subplots(figsize=(5.6, 3.4))
    for number, (name, shares) in enumerate(by_name.items()):
        mean = shares.mean(axis=0)
        ranges = np.stack([mean - shares.min(axis=0), shares.max(axis=0) - mean])
        axis.errorbar(sizes, mean, yerr=ranges, fmt="os"[number % 2] + "-", capsize=3, label=name)
    axis.axhline(chance, color=GRAY, linestyle="--")
    axis.set(xscale="log", xlabel="labels", ylabel="right", ylim=(0, 1))
    axis.set_xticks(sizes, [f"{n:,}" for n in sizes])
    axis.legend()
    return fig
