"""Turns a live fill-in into the HTML of the book."""

import html
import json
from collections.abc import Mapping, Sequence
from typing import Any

from clearformer.tokenizers.pre_tokenization import words_and_punctuation

from ..live import SHARED_SCRIPTS, attention_panel, bar, script_tags, start_button, weights_script, widget

SCRIPTS = (
    *SHARED_SCRIPTS,
    "live/post_norm",
    *(f"live_fill_in/{part}" for part in ("word_piece", "masked_language_model", "fill_in", "widget")),
)
LEGEND = "Attention: a row for each query, a column for each key"


def live_fill_in_html(page: Mapping[str, Any], weights: Mapping[str, Any], *, name: str, root: str, file: str) -> str:
    """HTML of one live fill-in: what it is, its first guesses, and the controls, which wait.

    Args:
        page: Description, and sentences with the places of the words that are hidden at first.
        weights: The model, and what it guessed in the first sentence.
        name: Id of the element; the ids of its controls begin with it.
        root: What leads from the page to the folders of the scripts, as ``"../"`` does.
        file: Address of the weights, as seen from the page.
    """
    script, key = weights_script(weights["model"])
    body = (
        f"<p>{html.escape(page['description'])}</p>\n"
        f"{_still(page['examples'][0], weights['opening'], len(script))}\n"
        f'<div class="lm-live" hidden>\n{_sentence(name, page["examples"])}'
        f'<div class="lm-result" hidden>\n{_words(name)}{_tokens(name)}'
        f"{attention_panel(name, weights['model']['sizes'], LEGEND)}</div></div>\n"
        f'<template class="lm-guess">{_guesses("", "")}</template>\n{script_tags(SCRIPTS, root)}'
    )
    return widget("live-fill-in", "Live fill-in", name, file=file, key=key, body=body)


def _still(example: Mapping[str, Any], opening: Sequence[Mapping[str, Any]], size: int) -> str:
    """What stands there before the model has started, and where no script runs."""
    tables = "".join(_table(asked) for asked in opening)
    return (
        f'<div class="lm-still">{start_button("Start the model", size)}'
        '<p class="lm-title">The words in bold were hidden from it</p>'
        f'<div class="lm-opening">{_marked(example["text"], example["hidden"])}</div>'
        '<p class="lm-title">What it would put there</p>'
        f'<div class="lm-tables">{tables}</div></div>'
    )


def _marked(text: str, hidden: Sequence[int]) -> str:
    """A sentence with the words at some places in bold."""
    marked, end = "", 0
    for place, word in enumerate(words_and_punctuation(text)):
        start = text.index(word, end)
        marked += html.escape(text[end:start])
        end = start + len(word)
        marked += f"<strong>{html.escape(word)}</strong>" if place in hidden else html.escape(word)
    return marked + html.escape(text[end:])


def _table(asked: Mapping[str, Any]) -> str:
    """The guesses at one hidden token, as the page will write them."""
    rows = "".join(
        f'<tr><th scope="row"><code>{html.escape(token)}</code>'
        + ('<span class="lm-chosen"> ← hidden</span>' if token == asked["hides"] else "")
        + f"</th><td>{bar(probability, 1)}</td></tr>"
        for token, probability in asked["guesses"]
    )
    return _guesses(f"Token {asked['position']} hides {html.escape(asked['hides'])}", rows)


def _guesses(caption: str, rows: str) -> str:
    return (
        f'<table><caption>{caption}</caption><thead><tr><th scope="col">Guess</th>'
        f'<th scope="col">Probability</th></tr></thead><tbody>{rows}</tbody></table>'
    )


def _sentence(name: str, examples: Sequence[Mapping[str, Any]]) -> str:
    """The sentence, and sentences to begin with."""
    buttons = "".join(
        f'<button type="button" class="lm-prompt" data-hidden="{json.dumps(example["hidden"])}">'
        f"{html.escape(example['text'])}</button>"
        for example in examples
    )
    return (
        f'<form class="lm-form"><p><label for="{name}-text">Sentence</label>'
        f'<input type="text" id="{name}-text" class="lm-text" maxlength="2000" spellcheck="false" autocomplete="off">'
        '</p>\n<p class="lm-row"><button type="submit" class="lm-read">Read</button></p></form>\n'
        f'<div class="lm-prompts" role="group" aria-label="Sentences to begin with">{buttons}</div>\n'
        '<p class="lm-status" role="status"></p>\n'
    )


def _words(name: str) -> str:
    """The words, which can be hidden, and what the model puts in their places."""
    return (
        f'<p><span class="lm-title" id="{name}-words">Words</span> Press one to hide it, and again to show it.</p>\n'
        f'<ol class="lm-words" role="list" aria-labelledby="{name}-words"></ol>\n'
        '<p class="lm-row"><button type="button" class="lm-some">Hide 15 % at random</button>'
        '<button type="button" class="lm-fill">Fill in</button>'
        '<button type="button" class="lm-all">Show all again</button></p>\n'
        '<div class="lm-tables lm-guesses" role="region" aria-label="Guesses"></div>\n'
    )


def _tokens(name: str) -> str:
    return (
        f'<p><span class="lm-title" id="{name}-tokens">Tokens</span> What the model reads; a hidden word is as many'
        " [MASK] as it has pieces. The stronger its colour, the more the query chosen below looks at a token.</p>"
        f'<ol class="lm-tokens" role="list" tabindex="0" aria-labelledby="{name}-tokens"></ol>\n'
    )
