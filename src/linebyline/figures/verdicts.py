"""How many claims of each document hold: a bar for each document and verdict."""

from collections.abc import Mapping

from .figure import ACCENT, Figure, figure

ROW, WIDTH = 30, 80  # pixels; the words of three columns can be read on a phone


def verdicts(counts: Mapping[str, Mapping[str, int]], *, description: str = "") -> Figure:
    """Bars of counts, a row for each document and a column for each verdict.

    Args:
        counts: For each document, by its name, how many of its claims got each verdict; the same verdicts for all.
        description: alternative text; a sentence that says what to see.

    Raises:
        ValueError: there is no document, or two of them have different verdicts.

    Example:
        >>> verdicts({"000": {"holds": 2, "corrected": 1}}, description="One document.")
        One document.
    """
    names = [tuple(of_one) for of_one in counts.values()]
    if len(set(names)) != 1:
        raise ValueError(f"need the same verdicts for each document, got {names}")
    values = [
        {"document": document, "verdict": verdict, "claims": count}
        for document, of_one in counts.items()
        for verdict, count in of_one.items()
    ]
    hidden = {"ticks": False, "domain": False, "labels": False}
    body = {
        "data": {"values": values},
        "facet": {
            "column": {
                "field": "verdict",
                "type": "nominal",
                "sort": list(names[0]),
                "title": None,
                "header": {"labelColor": "currentColor", "labelFontSize": 14},
            }
        },
        "spec": {
            "width": WIDTH,
            "height": {"step": ROW},
            "encoding": {
                "y": {
                    "field": "document",
                    "type": "nominal",
                    "title": "document",
                    "axis": {"ticks": False, "domain": False},
                },
                "x": {"field": "claims", "type": "quantitative", "title": None, "axis": hidden},
            },
            "layer": [
                {"name": "bars", "mark": {"type": "bar", "fill": ACCENT}},
                {
                    "mark": {"type": "text", "fill": "currentColor", "align": "left", "dx": 5},
                    "encoding": {"text": {"field": "claims"}},
                },
            ],
        },
    }
    table = {
        "corner": "document",
        "columns": list(names[0]),
        "rows": list(counts),
        "cells": [str(count) for of_one in counts.values() for count in of_one.values()],
    }
    return figure(description, table, body)
