"""From logits to probabilities, with sliders for every processor of `clearformer.decoding.pipeline`."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .figure import ACCENT, Figure, figure, json_numbers, slider

SHOWN = 16
ROW_HEIGHT, BAR_WIDTH, LABEL_WIDTH = 21, 170, 92
# Few enough to step through with the arrow keys; the last stop, the whole vocabulary, is added.
TOP_K = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 40, 50, 100, 200)


def decoding_explorer(
    logits: np.ndarray,
    tokens: Sequence[str],
    *,
    contexts: Sequence[str],
    counts: np.ndarray,
    context: int = 0,
    tau: float = 1.0,
    description: str = "",
) -> Figure:
    """Interactive bars of the next token's probabilities, before and after penalties, temperature and cuts.

    Sliders choose the context and set each step of `clearformer.decoding.pipeline`, in its order. All tokens take
    part in the computation, which the page does; the likeliest before are drawn. Below stand
    the number of tokens that the cuts keep, their share of the probability, and the entropy before and after.

    Args:
        logits: scores of the next token in each context, (n_contexts, vocab_size).
        tokens: vocab_size names.
        contexts: n_contexts short names.
        counts: how often each token came before, for the penalties, integers (n_contexts, vocab_size).
        context: the context shown at first, counted from 0.
        tau: the temperature at first.
        description: alternative text; a sentence that says what to see.

    Raises:
        ValueError: if shapes and names disagree, a logit is not finite, a count is negative, or a start
            does not exist.

    Example:
        >>> none = np.zeros((1, 2), dtype=int)
        >>> decoding_explorer(np.eye(1, 2), ["a", "b"], contexts=["x"], counts=none, description="Two bars.")
        Two bars.
    """
    n_contexts, vocab_size = len(contexts), len(tokens)
    if logits.shape != (n_contexts, vocab_size) or counts.shape != logits.shape:
        raise ValueError(
            f"expected logits and counts (n_contexts={n_contexts}, vocab_size={vocab_size}), "
            f"got {logits.shape} and {counts.shape}"
        )
    if not np.isfinite(logits).all():
        raise ValueError("cannot draw logits that are not finite")
    if counts.min() < 0:
        raise ValueError(f"counts must be at least 0, the smallest is {counts.min()}")
    rows = [
        {"id": i, "token": token, "logits": json_numbers(logits[:, i]), "counts": counts[:, i].tolist()}
        for i, token in enumerate(tokens)
    ]
    shown = min(SHOWN, vocab_size)
    body = {
        "data": {"name": "tokens", "values": rows},
        "params": _params(contexts, context, tau, vocab_size),
        "transform": [*_before(), *_penalized(), *_cut(), *_after()],
        "vconcat": [_bars(shown), _lines(vocab_size)],
        "spacing": 8,
    }
    table = {
        "mark": "names_marks",
        "value": ["token", "count", "before", "after"],
        "sort": "place",
        "corner": "rank before",
        "columns": ["token", "times before", "before", "after"],
        "rows": [str(rank + 1) for rank in range(shown)],
    }
    return figure(description, table, body, outputs={"context": "context_name", "k_stop": "k"})


def _params(contexts: Sequence[str], context: int, tau: float, vocab_size: int) -> list[dict[str, Any]]:
    stops = [k for k in TOP_K if k < vocab_size] + [vocab_size]
    return [
        slider("context", "Context", 0, len(contexts) - 1, context),
        {"name": "context_name", "expr": f"{list(contexts)}[context]"},
        slider("frequency", "Frequency α", 0, 2, 0, 0.1),
        slider("presence", "Presence β", 0, 2, 0, 0.1),
        slider("repetition", "Repetition ρ", 1, 2, 1, 0.05),
        slider("tau", "Temperature τ", 0.05, 4, tau, 0.05),
        slider("k_stop", "Top-k", 0, len(stops) - 1, len(stops) - 1),
        {"name": "k", "expr": f"{stops}[k_stop]"},
        slider("p", "Top-p", 0.05, 1, 1, 0.01),
        slider("min_p", "Min-p", 0, 0.5, 0, 0.01),
    ]


def _calculate(**expressions: str) -> list[dict[str, Any]]:
    return [{"calculate": expression, "as": name} for name, expression in expressions.items()]


def _over_all(op: str, field: str, name: str) -> dict[str, Any]:
    return {"joinaggregate": [{"op": op, "field": field, "as": name}]}


def _before() -> list[dict[str, Any]]:
    """Softmax of the logits as they are, and the order in which tokens are drawn."""
    descending = [{"field": "logit", "order": "descending"}, {"field": "id", "order": "ascending"}]
    return [
        *_calculate(logit="datum.logits[context]", count="datum.counts[context]"),
        {"window": [{"op": "row_number", "as": "place"}], "sort": descending},
        _over_all("max", "logit", "logit_top"),
        *_calculate(logit_exp="exp(datum.logit - datum.logit_top)"),
        _over_all("sum", "logit_exp", "logit_total"),
        *_calculate(before="datum.logit_exp / datum.logit_total"),
    ]


def _penalized() -> list[dict[str, Any]]:
    """The three penalties, then the temperature."""
    return _calculate(
        subtracted="datum.logit - frequency * datum.count - (datum.count > 0 ? presence : 0)",
        penalized="datum.count === 0 ? datum.subtracted"
        " : datum.subtracted < 0 ? datum.subtracted * repetition : datum.subtracted / repetition",
        scaled="datum.penalized / tau",
    )


def _cut() -> list[dict[str, Any]]:
    """Top-k with its ties, top-p from the unlikely end, min-p: which tokens stay."""
    ascending = [{"field": "scaled", "order": "ascending"}, {"field": "id", "order": "ascending"}]
    below = {"window": [{"op": "sum", "field": "share", "as": "below"}], "sort": ascending, "frame": [None, 0]}
    return [
        {"window": [{"op": "rank", "as": "rank"}], "sort": [{"field": "scaled", "order": "descending"}]},
        _over_all("max", "scaled", "scaled_top"),
        *_calculate(
            exp="exp(datum.scaled - datum.scaled_top)",
            exp_top_k="datum.rank <= k ? datum.exp : 0",
        ),
        _over_all("sum", "exp", "total"),
        _over_all("sum", "exp_top_k", "total_top_k"),
        *_calculate(share="datum.exp_top_k / datum.total_top_k"),
        below,
        *_calculate(
            kept="datum.rank <= k && (p === 1 || datum.below > 1 - p) && datum.exp >= min_p ? 1 : 0",
            exp_kept="datum.kept ? datum.exp : 0",
        ),
    ]


def _after() -> list[dict[str, Any]]:
    """Softmax of what stays, and each token's part in the two lines of text."""
    return [
        _over_all("sum", "exp_kept", "total_kept"),
        *_calculate(
            after="datum.exp_kept / datum.total_kept",
            mass="datum.exp_kept / datum.total",
            surprise_before="datum.before > 0 ? -datum.before * log(datum.before) : 0",
            surprise_after="datum.after > 0 ? -datum.after * log(datum.after) : 0",
        ),
    ]


def _bars(shown: int) -> dict[str, Any]:
    probability = {"type": "quantitative", "scale": {"nice": True}}
    axis = {"orient": "top", "tickCount": 4}
    return {
        "name": "bars",
        "width": BAR_WIDTH,
        "height": ROW_HEIGHT * shown,
        "transform": [{"filter": f"datum.place <= {shown}"}],
        "encoding": {"y": {"field": "place", "type": "ordinal", "axis": None, "scale": {"padding": 0.15}}},
        "layer": [
            {
                "name": "outlines",
                "mark": {"type": "bar", "fill": "currentColor", "fillOpacity": 0.12, "stroke": "currentColor"},
                "encoding": {
                    "x": {**probability, "field": "before", "title": "probability", "axis": axis},
                    "strokeWidth": {"value": 0.5},
                },
            },
            {
                "name": "afters",
                "mark": {"type": "bar", "fill": ACCENT, "height": {"band": 0.5}},
                "encoding": {"x": {**probability, "field": "after"}},
            },
            {
                "name": "names",
                "transform": _calculate(label="datum.token + (datum.count > 0 ? '  ×' + datum.count : '')"),
                "mark": {"type": "text", "fill": "currentColor", "align": "right", "limit": LABEL_WIDTH - 8},
                "encoding": {"x": {"value": -8}, "text": {"field": "label"}, "opacity": _faint_when_cut()},
            },
            {
                "name": "numbers",
                "transform": _calculate(label="datum.kept ? format(datum.after, '.3f') : 'out'"),
                "mark": {"type": "text", "fill": "currentColor", "align": "left"},
                "encoding": {"x": {"value": BAR_WIDTH + 6}, "text": {"field": "label"}, "opacity": _faint_when_cut()},
            },
        ],
    }


def _faint_when_cut() -> dict[str, Any]:
    return {"condition": {"test": "datum.kept", "value": 1}, "value": 0.75}


def _lines(vocab_size: int) -> dict[str, Any]:
    sums = [("kept", "kept"), ("mass", "mass"), ("surprise_before", "entropy_before"), ("surprise_after", "entropy")]
    words = [
        f"'keeps ' + datum.kept + ' of {vocab_size} tokens'",
        "'with ' + format(datum.mass, '.3f') + ' of the probability'",
        "'entropy ' + format(datum.entropy_before, '.2f') + ' → ' + format(datum.entropy, '.2f') + ' nats'",
    ]
    return {
        "name": "sums",
        "width": BAR_WIDTH,
        "height": 66,
        "transform": [
            {"aggregate": [{"op": "sum", "field": field, "as": name} for field, name in sums]},
            *_calculate(**{f"line_{n}": expression for n, expression in enumerate(words)}),
        ],
        "layer": [
            {
                "name": f"sums_{n}",
                "mark": {"type": "text", "fill": "currentColor", "fontWeight": "bold"},
                "encoding": {
                    "x": {"value": (BAR_WIDTH - LABEL_WIDTH) / 2},
                    "y": {"value": 14 + 22 * n},
                    "text": {"field": f"line_{n}"},
                },
            }
            for n in range(len(words))
        ],
    }
