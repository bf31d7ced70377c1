"""Laws of the figures that show what models and searches do: they draw what the package says."""

from dataclasses import asdict

import numpy as np
import pytest
import torch

from clearformer.decoding import beam_search
from clearformer.models import Decoder
from linebyline import pretrained
from linebyline import text_to_text as tt
from linebyline.decoder_sizes import PUBLISHED, DecoderSizes
from linebyline.drawings.beams import NEXT_WORDS
from tests.browser.figure import REACH, close


@pytest.fixture(scope="module")
def kept():
    return pretrained.language_model()


@pytest.fixture(scope="module")
def ids(kept):
    return torch.tensor(kept.tokenizer.encode("Returns the sum of the array elements over a given axis."))


@torch.no_grad()
def lens(kept, ids, n, t):
    """The likeliest words behind the first t + 1 tokens, and how likely, of a model of the first n blocks."""
    model = kept.model
    shorter = Decoder(model.embedding, list(model.blocks)[:n], norm=model.norm, lm_head=model.lm_head).eval()
    p, tokens = shorter(ids[: t + 1])[-1].softmax(dim=-1).topk(5)
    words = (kept.tokenizer.decode([i]) for i in tokens.tolist())
    return [word.replace(" ", "␣").replace("\n", "⏎") for word in words], p.numpy()


def test_the_logit_lens_says_what_the_model_says_with_fewer_blocks(live_figure, kept, ids):
    figure, table = live_figure("a_real_model"), []
    for t in figure.walk(1):
        first = []
        for n in figure.walk(0):
            words, p = lens(kept, ids, n, t)
            assert figure.values("bars_marks", "word", "rank") == words == figure.texts("g.said_marks text")
            figure.expect("bars_marks", "rank", probability=p, atol=0.000501)
            close(figure.drawn("bars_marks", REACH), p, atol=0.000501)
            first.append(words[0])
        spelt = kept.tokenizer.decode([int(ids[t])]).replace(" ", "␣")
        assert first[0] == spelt  # without a block it says what went in
        assert f"{t}: after {spelt}" in figure.texts("output")
        table.append(first)
    rows = figure.root.locator("tbody tr").all()
    assert [row.locator("td").all_text_contents() for row in rows] == np.transpose(table).tolist()
    assert figure.texts("tbody th") == list("01234")
    assert len(table) == len(ids) == 13


MACHINE = ("tokens", "bits", "memory", "bandwidth", "rate")


def compare_sums(figure, name):
    """Compare with the sums in float64, written out here: the parts of a block, one after the other."""
    form = DecoderSizes.of(PUBLISHED[name])
    s = asdict(form) | dict(zip(MACHINE, map(float, figure.texts("output")), strict=True))
    d_k = np.floor(s["d_model"] / s["n_heads"])
    square, shared = s["d_model"] * s["n_heads"] * d_k, s["d_model"] * s["n_kv_heads"] * d_k
    wide, table = s["d_model"] * s["d_ff"], s["vocab_size"] * s["d_model"]
    matrices = s["n_layers"] * (2 * square + 2 * shared + (2 + form.gated) * wide) + table
    vectors = gains = (2 * s["n_layers"] + 1) * s["d_model"]
    if form.biases:
        of_a_block = (s["n_heads"] + 2 * s["n_kv_heads"]) * d_k + s["d_ff"] + 2 * s["d_model"]
        vectors = 2 * gains + s["n_layers"] * of_a_block
    parameters = matrices + (0 if form.tied else table) + form.positions * s["d_model"] + vectors
    cache = 2 * s["n_layers"] * s["n_kv_heads"] * d_k * s["tokens"] * 2
    operations = 2 * matrices + 4 * s["n_layers"] * s["n_heads"] * d_k * s["tokens"]
    weights, fetched = parameters * s["bits"] / 8, matrices * s["bits"] / 8 + cache
    seconds = fetched / (1e9 * s["bandwidth"]), operations / (1e12 * s["rate"])
    sums = [parameters / 1e6, weights / 1e9, cache / 1e9, (weights + cache) / 1e9]
    sums += [fetched / 1e9, operations / 1e9, 1 / max(seconds)]
    figure.expect("numbers_marks", value=sums, atol=0, rtol=1e-12)
    figure.expect("times_marks", milliseconds=np.multiply(1000, seconds), atol=0, rtol=1e-12)
    fits = [label.endswith(", fits") for label in figure.texts("g.numbers_marks text")]
    assert fits == [False] * 3 + [weights + cache < 1e9 * s["memory"]] + [False] * 3
    return (*sums, *seconds, fits[3])


def choose(figure, name):
    figure.root.locator("input[type=radio]").nth(list(PUBLISHED).index(name)).check()


def test_published_models_have_their_sums(live_figure):
    figure = live_figure("running_a_model")
    assert figure.root.locator("input").first.get_attribute("type") == "radio"
    for _, (name, config) in zip(figure.choices(), PUBLISHED.items(), strict=True):
        sums, sizes = compare_sums(figure, name), DecoderSizes.of(config)
        tokens = min(8192, sizes.positions or 8192)  # a table of learned positions is the longest text
        speed = sizes.tokens_per_second(tokens, bits=4.5, bandwidth=1e11, rate=1e12)
        assert (sums[0], sums[6]) == pytest.approx((sizes.parameters / 1e6, speed), rel=1e-12)


def test_sums_follow_every_slider_and_say_whether_the_model_fits(live_figure):
    figure, name = live_figure("running_a_model"), "Llama 3.1 8B"
    choose(figure, name)
    assert compare_sums(figure, name)[-1]
    figure.press("Home", MACHINE.index("memory"))  # 4 GB
    assert not compare_sums(figure, name)[-1]
    for number, slider in enumerate(MACHINE):
        seen = set()
        for key in ("End", "ArrowLeft", "ArrowLeft"):
            figure.press(key, number)
            seen.add(compare_sums(figure, name))
        assert len(seen) == (1 if slider == "memory" else 3)


@torch.no_grad()
def written(model, words, prefix, sentence):
    """Word by word what a model finds likeliest behind its own words, and how likely: asked anew for each."""
    language = tt.TASKS["translate French to English:" if "L'" in sentence else "plural:"].grammar.source
    ids = torch.tensor([words.encode([*tt.TASKS[prefix].words, *language.tokenize(sentence)])])
    start, end = words.encode([tt.START, "<end>"])
    target, found = [start], []
    while True:
        p = model(ids, torch.tensor([target]))[0, -1].softmax(dim=-1)
        if (best := int(p.argmax())) == end:
            return found
        target.append(best)
        found.append((words.tokens[best], float(p[best])))


def test_words_and_probabilities_are_the_models_for_each_sentence_and_prefix(live_figure):
    figure, kept, seen = live_figure("text_to_text", 0), tt.text_to_text(), []
    for row, sentence in zip(figure.root.locator("tbody tr").all(), figure.choices(0), strict=True):
        assert row.locator("th").text_content() == sentence
        for cell, prefix in zip(row.locator("td").all_text_contents(), figure.choices(1), strict=True):
            words, p = zip(*written(kept.model, kept.words, prefix, sentence), strict=True)
            assert figure.texts("g.said_marks text") == list(words) == cell.split()[::2]
            assert figure.texts("g.odds_marks text") == cell.split()[1::2]
            figure.expect("bars_marks", "place", place=range(1, len(words) + 1), probability=p, atol=0.00501)
            close(figure.drawn("bars_marks", REACH), p, atol=0.00501)
            seen.append(words)
    assert len(seen) == 10 and len(set(seen)) > 6  # what is asked decides


@pytest.fixture(scope="module")
def tree():
    """The tree of the chapter on search, which its drawing shows."""
    return NEXT_WORDS


def search(tree, n_beams):
    """What was asked at each step, and what came back."""
    words, asked = sorted({word for branches in tree.values() for word in branches}), []

    def next_logits(ids):
        paths = [tuple(words[i] for i in row[1:]) for row in ids.tolist()]
        asked.append({" ".join(path) for path in paths})
        return torch.tensor([[tree[path].get(w, 0.0) for w in words] for path in paths], dtype=torch.float64).log()

    found = beam_search(next_logits, [0], 4, n_beams=n_beams, length_penalty=0.0, stop_ids=[words.index(".")])
    return asked, {" ".join(words[i] for i in h.tokens): h.score for h in found}


def test_every_step_of_every_search_is_that_of_the_package(live_figure, tree):
    figure, states = live_figure("search"), []
    rows = figure.root.locator("tbody tr")
    for label in figure.choices():
        asked, found = search(tree, int(label))
        for step in figure.walk():
            nodes = {node["path"]: node for node in figure.marks("signs_marks")}
            at_step = {path for path, node in nodes.items() if node["state"] == "open" and node["depth"] == step}
            assert at_step == (asked[step] if step < len(asked) else set())
            done = {path: score for path, score in found.items() if len(path.split()) <= step}
            shown = {path: node["log_p"] for path, node in nodes.items() if node["state"] == "finished"}
            assert shown == pytest.approx(done, rel=0, abs=1e-12)
            if label == "2":  # of which the table is
                said = rows.nth(step).locator("td").nth(1).text_content()
                for path, node in nodes.items():
                    assert (f"{path} ({node['shown']})" in said) == (path in shown or (path in at_step and step > 0))
        states.append(nodes["visits Africa ."]["state"])
        for path, node in nodes.items():
            words = path.split()
            p = [tree[tuple(words[:i])][word] for i, word in enumerate(words)]
            close(node["log_p"], np.log(p).sum())
            assert node["shown"] == (f"{np.exp(node['log_p']):.4g}" if path else "")
    assert step == 4
    assert states[1:] == ["not looked at", "finished"]  # three beams find what two lose
