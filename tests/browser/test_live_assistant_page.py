"""The live assistant of a chapter: one model asks back, the other one answers."""

import pytest

from linebyline.assistant import chat
from linebyline.assistant.world import ASKED
from tests.browser.live_controls import IDLE, enter, opened, pages_with

FIRST_WORDS = {text.split()[0] for both in ASKED.values() for text in both}


def last(page, part):
    """The words that a model has written."""
    return page.eval_on_selector_all(f".lm-{part} .lm-new", "items => items.map(li => li.firstChild.data.trim())")


@pytest.mark.parametrize("name", pages_with("live-assistant"))
def test_the_assistant_answers_where_the_base_model_asks(visit, site, name):
    page = opened(visit, f"{site}/{name}", "live-assistant").page
    right = []
    asked = [*chat.NEW_FACTS[::20], *chat.NEW_SUMS[:8]]
    for pair in asked:
        enter(page, pair.question)
        page.wait_for_function(IDLE.replace(".live-net", ".live-assistant"))
        assert last(page, "base")[0] in FIRST_WORDS
        right.append(pair.accepts(chat.WORDS.encode(last(page, "assistant"))))
    assert sum(right) > 0.7 * len(asked)
