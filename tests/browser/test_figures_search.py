"""Laws of the figure of beam search: at every step and number of beams it shows what the package's search does."""

import re
from pathlib import Path

import pytest
import torch

from clearformer.decoding import beam_search
from tests.browser.marks import marks

PAGE = "book/search.html"
CHAPTER = Path(__file__).parents[2] / "book" / "search.md"


@pytest.fixture(scope="module")
def tree():
    """The chapter's tree, from its source."""
    cell = re.search(r"^tree = \{.*?(?=^```)", CHAPTER.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    names: dict = {}
    exec(cell[0], names)
    return names["tree"]


def search(tree, n_beams):
    """What was asked at each step, and what came back."""
    words = sorted({word for branches in tree.values() for word in branches})
    asked = []

    def next_logits(ids):
        paths = [tuple(words[i] for i in row[1:]) for row in ids.tolist()]
        asked.append({" ".join(path) for path in paths})
        return torch.tensor([[tree[path].get(w, 0.0) for w in words] for path in paths], dtype=torch.float64).log()

    found = beam_search(next_logits, [0], 4, n_beams=n_beams, length_penalty=0.0, stop_ids=[words.index(".")])
    return asked, {" ".join(words[i] for i in h.tokens): h.score for h in found}


@pytest.mark.parametrize("n_beams", [1, 2, 3])
def test_every_step_reached_by_keyboard_is_that_of_the_search(figure, tree, n_beams):
    asked, found = search(tree, n_beams)
    figure.get_by_label(str(n_beams), exact=True).check()
    slider = figure.locator("input[type=range]")
    slider.press("Home")
    for step in range(5):
        nodes = {node["path"]: node for node in marks(figure, "signs_marks")}
        at_step = {path for path, node in nodes.items() if node["state"] == "open" and node["depth"] == step}
        assert at_step == (asked[step] if step < len(asked) else set())
        done = {path: score for path, score in found.items() if len(path.split()) <= step}
        shown = {path: node["log_p"] for path, node in nodes.items() if node["state"] == "finished"}
        assert shown == pytest.approx(done, rel=0, abs=1e-12)
        slider.press("ArrowRight")
    assert int(slider.input_value()) == 4


def test_numbers_are_log_probabilities_of_the_tree(figure, tree):
    figure.locator("input[type=range]").press("End")
    for node in marks(figure, "signs_marks"):
        path = tuple(node["path"].split())
        chance = torch.tensor([tree[path[:i]][word] for i, word in enumerate(path)], dtype=torch.float64)
        assert node["log_p"] == pytest.approx(float(chance.log().sum()), rel=0, abs=1e-12)
        assert node["shown"] == (f"{node['log_p']:.3f}".replace("-", "−") if path else "")


def test_three_beams_find_the_sentence_that_two_lose(figure):
    best = "visits Africa ."
    figure.locator("input[type=range]").press("End")
    for n_beams, state in (("2", "not looked at"), ("3", "finished")):
        figure.get_by_label(n_beams, exact=True).check()
        assert {node["path"]: node["state"] for node in marks(figure, "signs_marks")}[best] == state


def test_the_table_agrees_with_the_drawing(figure):
    figure.get_by_label("2", exact=True).check()
    slider = figure.locator("input[type=range]")
    slider.press("Home")
    for step in range(5):
        said = figure.locator("tbody tr").nth(step).locator("td").nth(1).text_content()
        for node in marks(figure, "signs_marks"):
            is_open = node["state"] == "open" and node["depth"] == step > 0
            assert (f"{node['path']} ({node['shown']})" in said) == (is_open or node["state"] == "finished")
        slider.press("ArrowRight")
