"""Turns a live model into the HTML of the book, and its weights into a script that the page loads when asked to.

A script, because a page opened from disk may load nothing else.
"""

import hashlib
import html
import json
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from .opening import SEED, TAU, TOP_P

SCRIPTS = ("tokenizer", "decoder", "decoding", "session", "attention_canvas", "widget")
BLANKS = {ord(" "): "·", ord("\n"): "⏎", ord("\t"): "⇥", ord("\r"): "␍"}
# HTML cannot hold these, and a model may write them.
CONTROLS = {code: "\ufffd" for code in (*range(32), 127) if chr(code) not in "\t\n"}


def weights_script(model: Mapping[str, Any]) -> tuple[str, str]:
    """Give the script with the weights, and the key under which it leaves them for the page."""
    text = json.dumps(model, ensure_ascii=True, separators=(",", ":"))
    key = hashlib.sha256(text.encode()).hexdigest()[:16]
    return f'(globalThis.clearformerModels ??= {{}})["{key}"] = {text};\n', key


def live_page_html(page: Mapping[str, Any], weights: Mapping[str, Any], *, name: str, scripts: str, file: str) -> str:
    """HTML of one live model: what it is, what it finds most likely at first, and the controls, which wait.

    Args:
        page: Description and prompts.
        weights: The model, and what it made of the first prompt.
        name: Id of the element; the ids of its controls begin with it.
        scripts: Address of the folder of the scripts, as seen from the page.
        file: Address of the weights, as seen from the page.
    """
    script, key = weights_script(weights["model"])
    megabytes = f"{len(script) / 1e6:.1f} MB"
    opening = weights["opening"]
    sizes, vocab_size = weights["model"]["sizes"], len(weights["model"]["tokens"])
    tags = "".join(f'<script defer src="{html.escape(scripts)}/{part}.js"></script>\n' for part in SCRIPTS)
    return (
        f'<div class="live-model" id="{name}" role="group" aria-label="Live language model"'
        f' data-weights="{html.escape(file)}?{key}" data-key="{key}">\n'
        f"<p>{html.escape(page['description'])}</p>\n"
        f"{_still(page['prompts'][0], opening, megabytes)}\n"
        f'<div class="lm-live" hidden>\n{_text(name, page["prompts"])}'
        f"{_generation(name, opening['count'])}{_choice(name, vocab_size)}"
        f"{_next_tokens(name)}{_attention(name, sizes)}</div>\n{tags}</div>\n"
    )


def _still(prompt: str, opening: Mapping[str, Any], megabytes: str) -> str:
    """What stands there before the model has started, and where no script runs."""
    likely = opening["likely"]
    longest = max(probability for _, probability in likely)
    written = html.escape(opening["text"].translate(CONTROLS))
    rows = "".join(
        f'<tr><th scope="row"><code>{_spelt(token)}</code></th><td>{_bar(probability, longest)}</td></tr>'
        for token, probability in likely
    )
    return (
        '<div class="lm-still">'
        '<p><button type="button" class="lm-start" disabled>Start the model'
        f' <small>(loads {megabytes})</small></button> <span class="lm-loading" role="status"></span></p>'
        "<noscript><p>The model computes in your browser, and needs JavaScript for it.</p></noscript>"
        '<p class="lm-title">It was given the words in bold, and wrote the others</p>'
        f'<div class="lm-opening"><strong>{html.escape(prompt)}</strong><span>{written}</span></div>'
        "<table><caption>Its most likely tokens after the words in bold</caption>"
        '<thead><tr><th scope="col">Token</th><th scope="col">Probability</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _spelt(token: str) -> str:
    """A token of bytes for the eye: with signs for blanks, and as hexadecimal numbers where it is no text."""
    data = token.encode("latin-1")
    try:
        text = data.decode().translate(BLANKS)
    except UnicodeDecodeError:
        return _hex(data)
    return html.escape("".join(_hex(c.encode()) if unicodedata.category(c).startswith("C") else c for c in text))


def _hex(data: bytes) -> str:
    return f"‹{data.hex(' ').upper()}›"


def _bar(probability: float, longest: float) -> str:
    return f'<span>{probability:.3f}</span> <span class="lm-bar" style="--share:{probability / longest:.4f}"></span>'


def _text(name: str, prompts: Sequence[str]) -> str:
    buttons = "".join(f'<button type="button" class="lm-prompt">{html.escape(prompt)}</button>' for prompt in prompts)
    return (
        f'<p><label for="{name}-text">Text</label>'
        f'<textarea id="{name}-text" class="lm-text" rows="6" maxlength="4000" spellcheck="false" autocomplete="off">'
        f"{html.escape(prompts[0])}</textarea></p>\n"
        f'<div class="lm-prompts" role="group" aria-label="Texts to begin with">{buttons}</div>\n'
    )


def _generation(name: str, count: int) -> str:
    return (
        '<div class="lm-row">'
        f'<label for="{name}-seed">Seed<input type="number" id="{name}-seed" class="lm-seed" min="0"'
        f' max="4294967295" step="1" value="{SEED}" autocomplete="off"></label>'
        f'<label for="{name}-count">Tokens<input type="number" id="{name}-count" class="lm-count" min="1"'
        f' max="500" step="1" value="{count}" autocomplete="off"></label>'
        '<button type="button" class="lm-generate">Generate</button>'
        '<button type="button" class="lm-one">One token more</button>'
        '<button type="button" class="lm-reset">Reset</button></div>\n'
        f'<p class="lm-title" id="{name}-continuation">Continuation</p>'
        f'<div class="lm-continuation" role="region" tabindex="0" aria-labelledby="{name}-continuation"'
        ' aria-live="polite" aria-atomic="true"></div>\n'
        '<p class="lm-status" role="status"></p>\n'
        f'<p><span class="lm-title" id="{name}-tokens">Tokens</span> Generated ones have a dashed frame.'
        " The stronger its colour, the more the query chosen below looks at a token.</p>"
        f'<ol class="lm-tokens" role="list" tabindex="0" aria-labelledby="{name}-tokens"></ol>\n'
    )


def _choice(name: str, vocab_size: int) -> str:
    stops = [k for k in (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000) if k < vocab_size]
    stops.append(vocab_size)
    last = len(stops) - 1
    return (
        '<fieldset class="live-controls"><legend>What the next token is drawn from</legend>'
        + _range(name, "tau", "Temperature τ", f'min="0.1" max="2" step="0.05" value="{TAU}"')
        + _range(name, "k", "Top-k", f'min="0" max="{last}" step="1" value="{last}" data-stops="{json.dumps(stops)}"')
        + _range(name, "p", "Top-p", f'min="0.05" max="1" step="0.05" value="{TOP_P}"')
        + "</fieldset>\n"
    )


def _range(name: str, part: str, label: str, attributes: str) -> str:
    return (
        f'<div class="live-control"><label for="{name}-{part}">{label}</label>'
        f'<output for="{name}-{part}"></output>'
        f'<input type="range" id="{name}-{part}" class="lm-{part}" {attributes} autocomplete="off"></div>'
    )


def _next_tokens(name: str) -> str:
    return (
        '<table class="lm-next"><caption>The next token: its probability by the model, and as it is drawn</caption>'
        '<thead><tr><th scope="col">Token</th><th scope="col">Model</th><th scope="col">Drawn</th></tr></thead>'
        "<tbody></tbody></table>\n"
    )


def _attention(name: str, sizes: Mapping[str, int]) -> str:
    return (
        '<fieldset class="live-controls"><legend>Attention: a row for each query, a column for each key</legend>'
        + _range(name, "layer", "Layer", f'min="0" max="{sizes["n_layers"] - 1}" step="1" value="0"')
        + _range(name, "head", "Head", f'min="0" max="{sizes["n_heads"] - 1}" step="1" value="0"')
        + _range(name, "query", "Query", 'min="0" max="0" step="1" value="0"')
        + '</fieldset>\n<canvas class="lm-map" role="img" aria-label="Attention map"></canvas>\n'
        '<p class="lm-pointed" aria-hidden="true"></p>\n'
        "<p>The colour is as strong as the square root of the weight, so that small weights are seen.</p>"
        '<details class="live-table lm-numbers"><summary>Weights of this query</summary>'
        '<div class="live-scroll lm-scroll" tabindex="0" role="region" aria-label="Weights of this query">'
        '<table class="lm-weights"><thead><tr><th scope="col">Position</th><th scope="col">Key</th>'
        '<th scope="col">Weight</th></tr></thead><tbody></tbody></table></div></details>\n'
    )
