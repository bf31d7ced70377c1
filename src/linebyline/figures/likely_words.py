"""Words below each other with bars of their probabilities: what is written for a prefix, and the logit lens."""

from collections.abc import Mapping, Sequence

from .figure import Figure, draw

BARS = """
data: {name: words, values: $rows}
width: 150
height: $height
encoding:
  y: {field: "$rank:O", title: $rank_title, scale: {domain: $ranks}, axis: {ticks: false, domain: false}}
layer:
  - name: bars
    mark: {type: bar, fill: $accent, height: 16}
    encoding: {x: {field: probability:Q, title: probability, scale: {domain: [0, 1]}, axis: {values: [0, 0.5, 1]}}}
  - {name: said, mark: {type: text, fill: currentColor, align: left}, encoding: {x: {value: 160}, text: {field: word}}}
"""
PREFIXES = """
params:
  - {radio: sentence, label: Sentence, options: $sentences, at: 0}
  - {radio: prefix, label: Prefix, options: $prefixes, at: 0}
transform: [{filter: datum.sentence === sentence && datum.prefix === prefix}]
table: {cells: $cells, corner: sentence, columns: $prefixes, rows: $sentences}
"""
# After the bars, so that a word has its probability beside it.
ODDS = """
  - name: odds
    mark: {type: text, fill: currentColor, align: right}
    encoding: {x: {value: 262}, text: {field: probability, type: quantitative, format: ".2f"}}
"""
LOGIT_LENS = """
params:
  - {slider: depth, label: Blocks, from: 0, to: $last_depths, at: $depth}
  - {slider: place, label: Place, from: 0, to: $last_places, at: $place, shows: where}
  - {name: where, expr: "$places[place]"}
transform: [{filter: datum.depth === depth && datum.place === place}]
table: {cells: $cells, corner: blocks, columns: $places, rows: $depths}
"""
Words = Sequence[tuple[str, float]]  # with their probabilities


def prefixes(written: Mapping[str, Mapping[str, Words]], *, description: str) -> Figure:
    """The words that are written for a chosen sentence and prefix, in order, with bars of their probabilities."""
    rows = [
        {"sentence": s, "prefix": p, "place": place, "word": word, "probability": round(probability, 2)}
        for s, by_prefix in enumerate(written.values())
        for p, words in enumerate(by_prefix.values())
        for place, (word, probability) in enumerate(words, 1)
    ]
    names = {"sentences": list(written), "prefixes": list(next(iter(written.values())))}
    cells = [
        " ".join(f"{word} {p:.2f}" for word, p in words)
        for by_prefix in written.values()
        for words in by_prefix.values()
    ]
    ranks = _ranks(rows, "place", "written word")
    return draw(PREFIXES + BARS + ODDS, description, rows=rows, cells=cells, **names, **ranks)


def logit_lens(
    places: Sequence[str], choices: Sequence[Sequence[Words]], *, place: int = 0, depth: int = 0, description: str
) -> Figure:
    """The likeliest words at one of T places of a text, best first, after some of the blocks.

    Sliders choose the place and the number of blocks. ``choices`` has the words of each depth, from no block on,
    and of each place.
    """
    rows = [
        {"depth": n, "place": t, "rank": rank, "word": word, "probability": round(probability, 3)}
        for n, by_place in enumerate(choices)
        for t, words in enumerate(by_place)
        for rank, (word, probability) in enumerate(words, 1)
    ]
    names = {"places": list(places), "depths": [str(n) for n in range(len(choices))]}
    cells = [words[0][0] for by_place in choices for words in by_place]
    start, ranks = {"depth": depth, "place": place}, _ranks(rows, "rank", "choice")
    return draw(LOGIT_LENS + BARS, description, rows=rows, cells=cells, **names, **start, **ranks)


def _ranks(rows: Sequence[Mapping[str, object]], field: str, title: str) -> dict[str, object]:
    """The values that describe the vertical axis: a field that counts the words from 1."""
    last = max(int(str(row[field])) for row in rows)
    return {"rank": field, "rank_title": title, "ranks": list(range(1, last + 1)), "height": 24 * last}
