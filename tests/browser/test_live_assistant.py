"""Laws of the live assistant: both models write in the browser what PyTorch writes, and questions are read as meant."""

import random

import numpy as np
import pytest

from linebyline.assistant import chat, world
from linebyline.assistant.world import ASSISTANT, END, USER, WORDS
from tests.browser.live_controls import IDLE, focused, opened, start_by_keyboard, walk
from tests.browser.live_page import QUESTIONS

KIND = "live_assistant"
BACK = "s.ask('?')"
WRITE = "s.ask(arg); while (s.step()); return s.sides.map(({ name, read, written }) => ({ name, read, written }))"
ITEMS = "part => [...document.querySelectorAll(`${part} ol`)].map(list => [...list.children].map(li => li.innerText))"


def questions():
    """Questions of the world, and words in any order."""
    draw = random.Random(0)
    pairs = draw.sample(chat.NEW_FACTS, 25) + chat.NEW_SUMS[:25]
    mixed = [" ".join(draw.choices(WORDS.tokens[4:], k=draw.randint(1, 99))) for _ in range(25)]
    return [*(pair.question for pair in pairs), *mixed]


def test_both_models_write_the_tokens_of_pytorch_with_their_probabilities(session, reference):
    lengths = []
    for text in questions():
        ids = WORDS.encode(text.split())
        base, assistant = session(WRITE, text)
        assert (base["name"], base["read"]) == ("base", [END, *ids])
        assert (assistant["name"], assistant["read"]) == ("assistant", [USER, *ids, END, ASSISTANT])
        for side in (base, assistant):
            tokens, probabilities = reference.written(side["name"], side["read"], 24)
            assert [each["id"] for each in side["written"]] == tokens
            np.testing.assert_allclose([each["probability"] for each in side["written"]], probabilities, atol=1e-6)
            lengths.append(len(tokens))
    assert min(lengths) < 10 and max(lengths) == 24  # some end, and some are stopped


@pytest.mark.parametrize("text", ["Where does tina live?", " where  DOES\nTina live ? ", "where does Tina live ?"])
def test_capitals_and_spaces_are_forgiven(session, text):
    assert session("return s.encode(arg)", text) == WORDS.encode(QUESTIONS[0].split())


def test_digits_and_signs_are_tokens(session):
    assert session("return s.encode('what is 42+29?')") == WORDS.encode(QUESTIONS[1].split())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (" \n", "There is no question: type one."),
        ("where does Tina sleep, Bob?", "The models do not know “sleep”, “,”, “Bob”. The words that they know"),
        ("<end>", "do not know “<”, “end”, “>”."),
        ("a b c d e f g h", "“f” and 2 more."),
        ("1" * 102, "The question has 102 tokens, and at most 101 can be read: type a shorter one."),
    ],
)
def test_what_cannot_be_read_is_refused_and_leaves_all_as_it_was(session, text, message):
    session(WRITE, QUESTIONS[0])
    assert message in session("try { s.ask(arg) } catch (error) { return error.message }", text)
    assert session("return s.sides[0].read") == [END, *WORDS.encode(QUESTIONS[0].split())]


def test_what_stood_there_before_the_start_is_what_the_page_computes(visit, without_scripts, live_assistant):
    without_scripts.goto(live_assistant[1])
    before = without_scripts.evaluate(ITEMS, ".lm-still")
    page = opened(visit, live_assistant[1]).page
    page.wait_for_function(IDLE)
    assert page.evaluate(ITEMS, ".lm-result") == before
    assert [item.split("\n")[0] for item in before[0][:6]] == ["<end>", *QUESTIONS[0].split()]
    counts = [sum("\n" in item for item in items) for items in before]
    assert page.inner_text(".lm-status").startswith(f"Base model: {counts[0]} tokens. Assistant: {counts[1]} tokens")


def test_everything_is_reached_by_keyboard(visit, live_assistant):
    page = visit(live_assistant[1]).page
    start_by_keyboard(page, "what is 42 + 29?")
    page.keyboard.press("Enter")
    page.wait_for_function(IDLE)
    read = ["<user>", *QUESTIONS[1].split(), "<end>", "<assistant>"]
    assert page.locator(".lm-assistant li:not(.lm-new)").all_inner_texts() == read
    assert focused(page) == "lm-text"
    assert walk(page, {"lm-prompt": "Enter"}) == ["lm-text", "lm-ask", "lm-prompt", "lm-prompt", "SUMMARY"]
    assert page.input_value(".lm-text") == QUESTIONS[1]


def test_a_new_question_takes_the_place_of_one_that_is_being_answered(visit, live_assistant):
    page = opened(visit, live_assistant[1]).page
    page.click(".lm-prompt >> nth=1")
    page.wait_for_function(IDLE)
    expected = [END, *WORDS.encode(QUESTIONS[1].split())]
    shown = page.locator(".lm-base li").all_inner_texts()
    assert [text.split("\n")[0] for text in shown[: len(expected)]] == [world.WORDS.tokens[i] for i in expected]
    written = page.evaluate("document.querySelector('.live-net').liveModel.session.sides[0].written.length")
    assert len(shown) == len(expected) + written


def test_unknown_words_are_named_and_the_known_ones_listed(visit, live_assistant):
    page = opened(visit, live_assistant[1]).page
    page.fill(".lm-text", "who are you ?")
    page.click(".lm-ask")
    assert page.inner_text(".lm-status").startswith("The models do not know “who”, “you”.")
    assert not page.is_visible(".lm-result")
    page.click(".lm-known summary")
    assert page.inner_text(".lm-known summary") == f"The {len(WORDS) - 4} words and signs that they know"
    assert page.inner_text(".lm-vocabulary").split() == list(WORDS.tokens[4:])
