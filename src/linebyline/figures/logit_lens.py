"""The logit lens: the words that a model would say after each block, where the reader picks a place and a depth."""

import json
from collections.abc import Sequence
from typing import Any

from .figure import Figure, figure, slider
from .prefixes import words_in_rows

Choices = Sequence[tuple[str, float]]  # words with their probabilities, best first


def logit_lens(
    places: Sequence[str],
    choices: Sequence[Sequence[Choices]],
    *,
    place: int = 0,
    depth: int = 0,
    description: str = "",
) -> Figure:
    """Interactive bars of the likeliest words at a place of a text, as they stand after some of the blocks.

    Args:
        places: T names, of what is guessed at each place.
        choices: For each number of blocks, from none on, and each place, the words and their probabilities.
        place: The place that is chosen at first, counted from 0.
        depth: The number of blocks that is chosen at first.
        description: Alternative text; a sentence that says what to see.

    Raises:
        ValueError: there is no choice of a depth or a place, the choices are not of the same shape, a probability is
            none, or a start does not exist.

    Example:
        >>> choices = [[[("a", 0.5)], [("b", 0.3)]], [[("b", 0.9)], [("a", 0.8)]]]
        >>> logit_lens(["first", "second"], choices, description="Two words.")
        Two words.
    """
    sizes = {(len(of_one), len(words)) for of_one in choices for words in of_one}
    if len(choices) < 2 or len(places) < 2 or len(sizes) != 1 or {n for n, _ in sizes} != {len(places)}:
        raise ValueError(f"{len(choices)} depths and {len(places)} places need as many lists each, alike: {sizes}")
    if not (0 <= place < len(places) and 0 <= depth < len(choices)):
        raise ValueError(f"place={place} of {len(places)} and depth={depth} of {len(choices)} must exist")
    rows: list[dict[str, Any]] = [
        {"depth": n, "place": t, "rank": rank, "word": word, "probability": round(probability, 3)}
        for n, of_one in enumerate(choices)
        for t, words in enumerate(of_one)
        for rank, (word, probability) in enumerate(words, 1)
    ]
    if strange := [row for row in rows if not 0 <= row["probability"] <= 1]:
        raise ValueError(f"probabilities must lie between 0 and 1, got {strange[0]['probability']}")
    body = {
        "data": {"name": "words", "values": rows},
        "params": [
            slider("depth", "Blocks", 0, len(choices) - 1, depth),
            slider("place", "Place", 0, len(places) - 1, place),
            {"name": "where", "expr": f"{json.dumps(list(places), ensure_ascii=False)}[place]"},
        ],
        "transform": [{"filter": "datum.depth === depth && datum.place === place"}],
        **words_in_rows("rank", "choice", max(row["rank"] for row in rows)),
    }
    table = {
        "cells": [words[0][0] for of_one in choices for words in of_one],
        "corner": "blocks",
        "columns": list(places),
        "rows": [str(n) for n in range(len(choices))],
    }
    return figure(description, table, body, outputs={"place": "where"})
