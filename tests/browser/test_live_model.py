"""Laws of the live model's arithmetic: in the browser the numbers are PyTorch's, and the tokens the tokenizer's."""

import math
import random

import numpy as np
import pytest
import torch

from clearformer.decoding import pipeline
from linebyline.figures.live_model import random_numbers
from tests.browser.live_page import random_texts

KIND = "live_model"
TEXTS = [
    "a",
    "The value of the expression x + 1 is assigned to the name.",
    "for name in names:\n    print(name, sep='\\t')\n\n\n",
    "Ünïcode … 你好 🙂 Привет",
    "It's what we've said; they'll see I'm 123 times right.",
]
# It has read nothing, and draws from all tokens.
BACK = """[s.read, s.decoder.length, s.settings] = [[], 0, {tau: 1, k: s.decoder.vocab_size, p: 1}];
  s.reset("", 0);"""


def test_ids_are_the_tokenizers_on_random_texts(session, reference):
    kinds = "'sdmtlvre ", "()[]{}:.,=_", ["the", " self", "\n    "]
    texts = [*TEXTS, *random_texts(1000, *kinds)]
    ids = session("return arg.map(text => s.tokenizer.encode(text))", texts)
    assert ids == [reference.tokenizer.encode(text) for text in texts]


def test_any_ids_become_the_text_that_the_tokenizer_makes(session, reference):
    rng = random.Random(0)
    lists = [[rng.randrange(1024) for _ in range(rng.randrange(30))] for _ in range(300)]
    lists.append(reference.tokenizer.encode("\ufeffa"))
    texts = session("return arg.map(ids => s.tokenizer.decode(ids))", lists)
    assert texts == [reference.tokenizer.decode(ids) for ids in lists]


@pytest.mark.parametrize("text", TEXTS)
def test_logits_and_attention_equal_pytorch(session, reference, text):
    got = session(
        """s.reset("", 0);
           const ids = s.tokenizer.encode(arg), d = s.decoder;
           const logits = ids.map(id => [...d.read(id)]);
           const maps = [...Array(d.n_layers).keys()].map(layer => [...Array(d.n_heads).keys()].map(head =>
             ids.map((_, t) => ids.map((_, key) => d.attention(layer, head, t)[key] ?? 0))));
           return {ids, logits, maps};""",
        text,
    )
    assert got["ids"] == reference.tokenizer.encode(text)
    expected = reference.logits(got["ids"])
    assert expected.std() > 0.5  # else closeness would say little
    np.testing.assert_allclose(got["logits"], expected, rtol=0, atol=1e-4)
    np.testing.assert_allclose(got["maps"], reference.maps(got["ids"]), rtol=0, atol=1e-5)


@pytest.mark.parametrize("text", TEXTS)
def test_greedy_text_equals_pytorch_for_64_tokens(session, reference, text):
    ids = session(
        "s.reset(arg, 0); s.settings = {tau: 1, k: 1, p: 1}; for (let i = 0; i < 64; i++) s.step(); return s.generated",
        text,
    )
    assert ids == reference.greedy(reference.tokenizer.encode(text), 64)
    assert len(set(ids)) > 3


def test_a_full_context_forgets_half_of_it_at_once(session, reference):
    rng = np.random.default_rng(0)
    for n, seen in ((127, 127), (128, 128), (129, 65), (192, 128), (193, 65), (300, 108)):
        ids = rng.integers(1024, size=n).tolist()
        logits, read = session("s.prompt = arg; s.generated = []; s.look(); return [[...s.logits], s.read]", ids)
        assert read == ids[-seen:]
        np.testing.assert_allclose(logits, reference.logits(ids[-seen:])[-1], rtol=0, atol=1e-4)


def test_editing_a_text_is_reading_it_anew(session, reference):
    for text in ("The cat", "The cat sat", "The cap sat", "The", "", "The", "The"):
        logits = session("s.reset(arg, 0); return s.read.length ? [...s.logits] : null", text)
        if text:
            expected = reference.logits(reference.tokenizer.encode(text))[-1]
            np.testing.assert_allclose(logits, expected, rtol=0, atol=1e-4)
        else:
            assert logits is None


def drawn_from(logits, tau, k, p):
    """Temperature, top-k and top-p in this order, as Hugging Face does them; written out here in NumPy."""
    z = np.asarray(logits, dtype=np.float64) / tau
    z = np.where(z < np.sort(z)[-k], -np.inf, z)
    order = np.argsort(z, kind="stable")
    e = np.exp(z - z.max())
    falls_out = np.cumsum((e / e.sum())[order]) <= 1 - p
    falls_out[-1] = False
    e[order[falls_out]] = 0
    return e / e.sum()


def test_probabilities_under_the_sliders_equal_numpy_and_the_package(session):
    rng = np.random.default_rng(0)
    for size in (2, 3, 1024):
        for tied in (False, True):
            logits = 3 * rng.normal(size=size)
            logits = np.float32(np.round(logits) if tied else logits)
            for tau in (0.1, 0.7, 1.0, 2.0):
                for k in {1, 2, min(50, size), size}:
                    for p in (0.05, 0.5, 0.95, 1.0):
                        settings = {"tau": tau, "k": k, "p": p}
                        got = session(
                            "return [...clearformer.process(Float32Array.from(arg[0]), arg[1])]",
                            [logits.tolist(), settings],
                        )
                        np.testing.assert_allclose(got, drawn_from(logits, tau, k, p), rtol=0, atol=1e-12)
                        z = torch.from_numpy(logits).double()[None]  # (1, vocab_size)
                        ours = pipeline(**settings)(z, torch.zeros(1, 0, dtype=torch.int64)).softmax(-1)[0]
                        np.testing.assert_allclose(got, ours, rtol=0, atol=1e-12)


def test_a_draw_is_the_inverse_of_the_distribution_function(session):
    probabilities = np.array([0.0, 0.25, 0.0, 0.5, 0.25, 0.0])
    u = [0.0, 0.1, 0.25, 0.2500001, 0.5, 0.75, 0.7500001, 0.999999]
    got = session("return arg[1].map(u => clearformer.draw(Float64Array.from(arg[0]), u))", [[*probabilities], u])
    assert got == np.searchsorted(np.cumsum(probabilities), u, side="right").tolist()
    assert {*got} == {1, 3, 4}


@pytest.mark.parametrize("seed", [0, 1, 2**32 - 1])
def test_generator_equals_python_and_is_even(session, seed):
    got = session("const r = clearformer.generator(arg); return Array.from({length: 10000}, r)", seed)
    expected = random_numbers(seed)
    assert got == [next(expected) for _ in range(10000)]
    assert abs(np.mean(got) - 0.5) < 0.015
    assert np.histogram(got, bins=10, range=(0, 1))[0].min() > 850


def test_erf_is_exact(session):
    x = [*np.linspace(-7, 7, 1401), 1e-300, 1e-8, 0.0]
    got = session("return arg.map(clearformer.erf)", x)
    np.testing.assert_allclose(got, [math.erf(a) for a in x], rtol=4e-15, atol=0)


def test_what_does_not_fit_is_refused(session):
    for code, words in (
        ("s.decoder.read(1024)", "id 1024 is not among 1024 tokens"),
        (
            "s.reset('', 0); for (let i = 0; i < 129; i++) s.decoder.read(0)",
            "position 128, but the model has context=128",
        ),
    ):
        assert words in session(f"try {{ {code} }} catch (error) {{ return error.message }}")
