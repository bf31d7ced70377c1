"""How many claims of each document hold: a bar for each document and verdict."""

from collections.abc import Mapping

from .figure import Figure, draw

SPEC = """
data: {values: $rows}
facet:
  column: {field: verdict:N, sort: $names, title: null, header: {labelColor: currentColor, labelFontSize: 14}}
spec:
  width: 80  # the headings of three columns are legible on a phone
  height: {step: 30}
  encoding:
    y: {field: document:N, title: document, axis: {ticks: false, domain: false}}
    x: {field: claims:Q, title: null, axis: {ticks: false, domain: false, labels: false}}
  layer:
    - {name: bars, mark: {type: bar, fill: $accent}}
    - {mark: {type: text, fill: currentColor, align: left, dx: 5}, encoding: {text: {field: claims}}}
table: {corner: document, columns: $names, rows: $documents, cells: $cells}
"""


def verdicts(counts: Mapping[str, Mapping[str, int]], *, description: str) -> Figure:
    """Bars of counts, a row for each document and a column for each verdict; the verdicts are the same for all."""
    rows = [
        {"document": document, "verdict": verdict, "claims": count}
        for document, by_verdict in counts.items()
        for verdict, count in by_verdict.items()
    ]
    names = list(next(iter(counts.values())))
    cells = [str(row["claims"]) for row in rows]
    return draw(SPEC, description, rows=rows, names=names, documents=list(counts), cells=cells)
