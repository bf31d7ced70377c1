"""Pieces of HTML that live models share, and the script that brings their weights.

A script, because a page opened from disk may load nothing else.
"""

import hashlib
import html
import json
from collections.abc import Mapping, Sequence
from typing import Any

# What every live model needs in the page, in the order in which it is read.
SHARED_SCRIPTS = tuple(
    f"live/{part}" for part in ("loading", "layers", "widget", "attention_canvas", "attention_panel")
)


def weights_script(model: Mapping[str, Any]) -> tuple[str, str]:
    """Give the script with the weights, and the key under which it leaves them for the page."""
    text = json.dumps(model, ensure_ascii=True, separators=(",", ":"))
    key = hashlib.sha256(text.encode()).hexdigest()[:16]
    return f'(globalThis.clearformerModels ??= {{}})["{key}"] = {text};\n', key


def widget(kind: str, label: str, name: str, *, file: str, key: str, body: str) -> str:
    """The element of a live model: what it is called, and where its weights are; ``file`` is seen from the page."""
    return (
        f'<div class="{kind} live-net" id="{name}" role="group" aria-label="{label}"'
        f' data-weights="{html.escape(file)}?{key}" data-key="{key}">\n{body}</div>\n'
    )


def script_tags(names: Sequence[str], root: str) -> str:
    """Tags that load scripts in order; ``root`` leads from the page to their folders, as ``"../"`` does."""
    return "".join(f'<script defer src="{html.escape(root)}{name}.js"></script>\n' for name in names)


def start_button(words: str, size: int) -> str:
    """A button that waits for its script, the place where loading is told, and a word to who has no scripts."""
    return (
        f'<p><button type="button" class="lm-start" disabled>{words}'
        f' <small>(loads {size / 1e6:.1f} MB)</small></button> <span class="lm-loading" role="status"></span></p>'
        "<noscript><p>The model computes in your browser, and needs JavaScript for it.</p></noscript>"
    )


def slider(name: str, part: str, label: str, attributes: str) -> str:
    """A labelled slider with the place where its value is written."""
    return (
        f'<div class="live-control"><label for="{name}-{part}">{label}</label>'
        f'<output for="{name}-{part}"></output>'
        f'<input type="range" id="{name}-{part}" class="lm-{part}" {attributes} autocomplete="off"></div>'
    )


def bar(probability: float, longest: float) -> str:
    """A probability as a number and as a bar."""
    return f'<span>{probability:.3f}</span> <span class="lm-bar" style="--share:{probability / longest:.4f}"></span>'


def weights_table(details: str, table: str, title: str) -> str:
    """A table of attention weights, folded: the classes of the fold and of the table, and what it is called."""
    return (
        f'<details class="live-table lm-{details}"><summary>{title}</summary>'
        f'<div class="live-scroll lm-scroll" tabindex="0" role="region" aria-label="{title}">'
        f'<table class="lm-{table}"><thead><tr><th scope="col">Position</th><th scope="col">Key</th>'
        '<th scope="col">Weight</th></tr></thead><tbody></tbody></table></div></details>\n'
    )


def attention_panel(name: str, sizes: Mapping[str, int], legend: str) -> str:
    """The map of one head, with sliders for layer, head and query, and a table of the query's weights."""
    return (
        f'<fieldset class="live-controls"><legend>{legend}</legend>'
        + slider(name, "layer", "Layer", f'min="0" max="{sizes["n_layers"] - 1}" step="1" value="0"')
        + slider(name, "head", "Head", f'min="0" max="{sizes["n_heads"] - 1}" step="1" value="0"')
        + slider(name, "query", "Query", 'min="0" max="0" step="1" value="0"')
        + '</fieldset>\n<canvas class="lm-map" role="img" aria-label="Attention map"></canvas>\n'
        '<p class="lm-pointed" aria-hidden="true"></p>\n'
        "<p>The colour is as strong as the square root of the weight, so that small weights are seen.</p>"
        + weights_table("numbers", "weights", "Weights of this query")
    )
