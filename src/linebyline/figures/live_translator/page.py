"""Turns a live translator into the HTML of the book."""

import html
from collections.abc import Mapping, Sequence
from typing import Any

from ..live import (
    SHARED_SCRIPTS,
    attention_panel,
    script_tags,
    slider,
    start_button,
    weights_script,
    weights_table,
    widget,
)

SCRIPTS = (
    *SHARED_SCRIPTS,
    "live/post_norm",
    *(f"live_translator/{part}" for part in ("words", "encoder_decoder", "beam_search", "translation")),
    *("live_translator/lines", "live_translator/widget"),
)
ACCENT = "#2563a8"
ROW, GAP = 28, 90  # of the still drawing: pixels from word to word, and between the languages
LETTER = 11  # pixels that a letter takes at most, on average


def live_translator_html(
    page: Mapping[str, Any], weights: Mapping[str, Any], *, name: str, root: str, file: str
) -> str:
    """HTML of one live translator: what it is, its first translation as a drawing, and the controls, which wait.

    Args:
        page: Description, and sentences of each pair of languages.
        weights: The model, and what it made of the first sentence.
        name: Id of the element; the ids of its controls begin with it.
        root: What leads from the page to the folders of the scripts, as ``"../"`` does.
        file: Address of the weights, as seen from the page.
    """
    (script, key), sizes = weights_script(weights["model"]), weights["model"]["sizes"]
    body = (
        f"<p>{html.escape(page['description'])}</p>\n"
        f"{_still(page['directions'][0], weights['opening'], len(script))}\n"
        f'<div class="lm-live" hidden>\n{_sentence(name, page["directions"])}'
        f'<div class="lm-result" hidden>\n{_translation(name, sizes)}{_beams()}'
        f"{attention_panel(name, sizes, 'The encoder: how words of the sentence look at each other')}"
        f"</div>\n{_vocabulary()}</div>\n{script_tags(SCRIPTS, root)}"
    )
    return widget("live-translator", "Live translator", name, file=file, key=key, body=body)


def _still(direction: Mapping[str, Any], opening: Mapping[str, Any], size: int) -> str:
    """What stands there before the translator has started, and where no script runs."""
    source, target = direction["tags"]
    weights = opening["attention"]
    rows = ""
    for word, row in zip(opening["target"], weights, strict=True):
        most = max(range(len(row)), key=row.__getitem__)
        rows += (
            f'<tr><th scope="row" lang="{target}">{html.escape(word)}</th>'
            f'<td lang="{source}">{html.escape(opening["source"][most])}</td><td>{row[most]:.3f}</td></tr>'
        )
    return (
        f'<div class="lm-still">{start_button("Start the translator", size)}'
        f'<p><span class="lm-title">It was given</span> <span lang="{source}">{html.escape(opening["text"])}</span><br>'
        f'<span class="lm-title">It wrote</span> <span lang="{target}">{html.escape(opening["translation"])}</span></p>'
        f"{alignment_svg(opening['source'], opening['target'], weights)}"
        "<table><caption>Each word that it wrote, and the one it looked at most</caption>"
        '<thead><tr><th scope="col">Wrote</th><th scope="col">Looked at</th><th scope="col">Weight</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def alignment_svg(source: Sequence[str], target: Sequence[str], weights: Sequence[Sequence[float]]) -> str:
    """Draw two sentences as columns, and between them a line for each weight, as opaque as it is large.

    Args:
        source: Words of the left column.
        target: Words of the right column.
        weights: How much each word of the target looks at each of the source, (T, S).
    """
    left, right = (LETTER * max(map(len, words)) for words in (source, target))
    width, height = left + GAP + right, ROW * max(len(source), len(target))
    lines = "".join(
        f'<line x1="{left + 4:.0f}" y1="{_middle(s)}" x2="{left + GAP - 4:.0f}" y2="{_middle(t)}"'
        f' stroke-opacity="{weight:.3f}"/>'
        for t, row in enumerate(weights)
        for s, weight in enumerate(row)
        if weight >= 0.005
    )
    words = "".join(
        f'<text x="{x:.0f}" y="{_middle(i)}" text-anchor="{anchor}">{html.escape(word)}</text>'
        for x, anchor, column in ((left, "end", source), (left + GAP, "start", target))
        for i, word in enumerate(column)
    )
    return (
        f'<svg class="lm-alignment" role="img" viewBox="0 0 {width:.0f} {height}" style="max-width:{width:.0f}px"'
        ' aria-label="The two sentences as columns, a line from each word that was written to those it looked at.">'
        f'<g stroke="{ACCENT}" stroke-width="3">{lines}</g><g dominant-baseline="central">{words}</g></svg>'
    )


def _middle(number: int) -> int:
    return ROW * number + ROW // 2


def _sentence(name: str, directions: Sequence[Mapping[str, Any]]) -> str:
    """The languages, the sentence, and sentences to begin with."""
    choices = "".join(
        f'<label><input type="radio" name="{name}-direction" class="lm-direction" value="{i}" autocomplete="off"'
        f' data-tags="{" ".join(direction["tags"])}"{"" if i else " checked"}>{html.escape(direction["name"])}</label>'
        for i, direction in enumerate(directions)
    )
    buttons = "".join(
        f'<button type="button" class="lm-prompt" lang="{direction["tags"][0]}" data-direction="{i}">'
        f"{html.escape(sentence)}</button>"
        for i, direction in enumerate(directions)
        for sentence in direction["examples"]
    )
    return (
        f'<form class="lm-form"><fieldset class="live-control"><legend>Languages</legend>{choices}</fieldset>\n'
        f'<p><label for="{name}-text">Sentence</label><input type="text" id="{name}-text" class="lm-text"'
        ' maxlength="2000" spellcheck="false" autocapitalize="none" autocomplete="off"></p>\n'
        '<p class="lm-row"><button type="submit" class="lm-translate">Translate</button></p></form>\n'
        f'<div class="lm-prompts" role="group" aria-label="Sentences to begin with">{buttons}</div>\n'
        '<p class="lm-status" role="status"></p>\n'
    )


def _translation(name: str, sizes: Mapping[str, int]) -> str:
    """The translation, the lines between the sentences, and what could have stood in the place of a word."""
    heads = list(range(sizes["n_heads"]))
    return (
        '<p class="lm-title">Translation</p><p class="lm-continuation" aria-live="polite"></p>\n'
        f'<p><span class="lm-title" id="{name}-written">Word by word</span>'
        " Choose a word that was written, with the arrow keys or the buttons: its lines lead to the words it looked at"
        " when it was chosen.</p>\n"
        '<div class="lm-stage"><ol class="lm-source" role="list"></ol>'
        '<svg class="lm-lines" aria-hidden="true"></svg>'
        f'<ol class="lm-target" role="listbox" tabindex="0" aria-labelledby="{name}-written"></ol></div>\n'
        '<p class="lm-row"><button type="button" class="lm-back">← Word before</button>'
        '<button type="button" class="lm-forward">Next word →</button></p>\n'
        '<p class="lm-looks"></p>\n'
        '<fieldset class="live-controls"><legend>The decoder: where the lines come from</legend>'
        + slider(name, "cross-layer", "Layer", f'min="0" max="{sizes["n_layers"] - 1}" value="{sizes["n_layers"] - 1}"')
        + slider(name, "cross-head", "Head", f'min="0" max="{len(heads)}" value="{len(heads)}"')
        + "</fieldset>\n"
        + weights_table("cross-numbers", "cross-weights", "Weights of this word")
        + '<table class="lm-next"><caption></caption><thead><tr><th scope="col">Word</th>'
        '<th scope="col">Probability</th></tr></thead><tbody></tbody></table>\n'
    )


def _beams() -> str:
    return (
        '<p class="lm-row"><button type="button" class="lm-search">Search with 4 beams</button></p>\n'
        '<div class="lm-beams" hidden><table class="lm-hypotheses">'
        "<caption>Four translations; the score is the mean log-probability of a token</caption>"
        '<thead><tr><th scope="col">Translation</th><th scope="col">Tokens</th><th scope="col">Score</th></tr></thead>'
        "<tbody></tbody></table></div>\n"
    )


def _vocabulary() -> str:
    return '<details class="lm-known"><summary>Words that it knows</summary><p class="lm-vocabulary"></p></details>\n'
