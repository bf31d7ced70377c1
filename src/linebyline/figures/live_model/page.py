"""Turns a live language model into the HTML of the book."""

import html
import json
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from ..live import SHARED_SCRIPTS, attention_panel, bar, script_tags, slider, start_button, weights_script, widget
from .opening import SEED, TAU, TOP_P

SCRIPTS = (
    *SHARED_SCRIPTS,
    *(f"live_model/{part}" for part in ("tokenizer", "decoder", "decoding", "session", "widget")),
)
LEGEND = "Attention: a row for each query, a column for each key"
BLANKS = {ord(" "): "·", ord("\n"): "⏎", ord("\t"): "⇥", ord("\r"): "␍"}
# HTML cannot hold these, and a model may write them.
CONTROLS = {code: "\ufffd" for code in (*range(32), 127) if chr(code) not in "\t\n"}


def live_model_html(page: Mapping[str, Any], weights: Mapping[str, Any], *, name: str, root: str, file: str) -> str:
    """HTML of one live model: what it is, what it finds most likely at first, and the controls, which wait.

    Args:
        page: Description and prompts.
        weights: The model, and what it made of the first prompt.
        name: Id of the element; the ids of its controls begin with it.
        root: What leads from the page to the folders of the scripts, as ``"../"`` does.
        file: Address of the weights, as seen from the page.
    """
    script, key = weights_script(weights["model"])
    opening = weights["opening"]
    sizes, vocab_size = weights["model"]["sizes"], len(weights["model"]["tokens"])
    body = (
        f"<p>{html.escape(page['description'])}</p>\n"
        f"{_still(page['prompts'][0], opening, len(script))}\n"
        f'<div class="lm-live" hidden>\n{_text(name, page["prompts"])}'
        f"{_generation(name, opening['count'])}{_choice(name, vocab_size)}"
        f"{_next_tokens(name)}{attention_panel(name, sizes, LEGEND)}</div>\n{script_tags(SCRIPTS, root)}"
    )
    return widget("live-model", "Live language model", name, file=file, key=key, body=body)


def _still(prompt: str, opening: Mapping[str, Any], size: int) -> str:
    """What stands there before the model has started, and where no script runs."""
    likely = opening["likely"]
    longest = max(probability for _, probability in likely)
    written = html.escape(opening["text"].translate(CONTROLS))
    rows = "".join(
        f'<tr><th scope="row"><code>{_spelt(token)}</code></th><td>{bar(probability, longest)}</td></tr>'
        for token, probability in likely
    )
    return (
        f'<div class="lm-still">{start_button("Start the model", size)}'
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
        + slider(name, "tau", "Temperature τ", f'min="0.1" max="2" step="0.05" value="{TAU}"')
        + slider(name, "k", "Top-k", f'min="0" max="{last}" step="1" value="{last}" data-stops="{json.dumps(stops)}"')
        + slider(name, "p", "Top-p", f'min="0.05" max="1" step="0.05" value="{TOP_P}"')
        + "</fieldset>\n"
    )


def _next_tokens(name: str) -> str:
    return (
        '<table class="lm-next"><caption>The next token: its probability by the model, and as it is drawn</caption>'
        '<thead><tr><th scope="col">Token</th><th scope="col">Model</th><th scope="col">Drawn</th></tr></thead>'
        "<tbody></tbody></table>\n"
    )
