"""One input, several prefixes: what a text-to-text model writes, word by word, where the reader picks both."""

from collections.abc import Mapping, Sequence
from typing import Any

from .figure import ACCENT, Figure, figure, radio

ROW, WIDTH = 24, 150  # pixels
Written = Sequence[tuple[str, float]]  # words, and how likely each was


def prefixes(
    written: Mapping[str, Mapping[str, Written]], *, sentence: int = 0, prefix: int = 0, description: str = ""
) -> Figure:
    """Interactive list of the words that are written for a sentence and a prefix, with bars of their probabilities.

    Args:
        written: For each sentence and each prefix the words; every sentence has the same prefixes, at least two.
        sentence: Number of the sentence that is chosen at first.
        prefix: Number of the prefix that is chosen at first.
        description: Alternative text; a sentence that says what to see.

    Raises:
        ValueError: there is no choice, the prefixes differ, a probability is none, or a start does not exist.

    Example:
        >>> written = {"a b": {"copy:": [("a", 1.0), ("b", 0.9)], "reverse:": [("b", 0.8), ("a", 1.0)]}}
        >>> prefixes(written, description="Two words.")
        Two words.
    """
    names = list(next(iter(written.values()), ()))
    if len(names) < 2 or any(list(of_one) != names for of_one in written.values()):
        raise ValueError(f"every sentence needs the same prefixes, at least two, got {[*map(list, written.values())]}")
    if not (0 <= sentence < len(written) and 0 <= prefix < len(names)):
        raise ValueError(f"sentence={sentence} of {len(written)} and prefix={prefix} of {len(names)} must exist")
    rows: list[dict[str, Any]] = [
        {"sentence": s, "prefix": p, "place": place, "word": word, "probability": round(probability, 2)}
        for s, of_one in enumerate(written.values())
        for p, words in enumerate(of_one.values())
        for place, (word, probability) in enumerate(words, 1)
    ]
    if strange := [row for row in rows if not 0 <= row["probability"] <= 1]:
        raise ValueError(f"probabilities must lie between 0 and 1, got {strange[0]['probability']}")
    body = {
        "data": {"name": "words", "values": rows},
        "params": [
            radio("sentence", "Sentence", list(written), sentence),
            radio("prefix", "Prefix", names, prefix),
        ],
        "transform": [{"filter": "datum.sentence === sentence && datum.prefix === prefix"}],
        **words_in_rows("place", "written word", max(row["place"] for row in rows)),
    }
    cells = [" ".join(word for word, _ in words) for of_one in written.values() for words in of_one.values()]
    table = {"cells": cells, "corner": "sentence", "columns": names, "rows": list(written)}
    return figure(description, table, body)


def words_in_rows(field: str, title: str, most: int) -> dict[str, Any]:
    """Give the drawing of words below each other: a bar of each one's probability, and the word beside the axis.

    Args:
        field: Numbers the rows, from 1.
        title: Of these numbers.
        most: How many rows there are room for.
    """
    y = {
        "field": field,
        "type": "ordinal",
        "title": title,
        "scale": {"domain": list(range(1, most + 1))},
        "axis": {"ticks": False, "domain": False},
    }
    x = {
        "field": "probability",
        "type": "quantitative",
        "title": "probability",
        "scale": {"domain": [0, 1]},
        "axis": {"values": [0, 0.5, 1]},
    }
    layers = [
        {"name": "bars", "mark": {"type": "bar", "fill": ACCENT, "height": ROW - 8}, "encoding": {"x": x}},
        {
            "name": "said",
            "mark": {"type": "text", "fill": "currentColor", "align": "left"},
            "encoding": {"x": {"value": WIDTH + 10}, "text": {"field": "word"}},
        },
    ]
    return {"width": WIDTH, "height": ROW * most, "encoding": {"y": y}, "layer": layers}
