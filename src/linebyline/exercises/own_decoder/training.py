"""The exercises on training a decoder and letting it write, up to the goal of the project."""

import math
from functools import cache, partial

import numpy as np
import torch
from torch.nn import functional as nnF

from linebyline import corpora, growing
from linebyline.exercises.core import expect_close, expect_equal
from linebyline.exercises.own_decoder.parts import N_HEADS, V, chapter, draw, expect_near, plain, weights
from linebyline.growing.given import Given, start
from linebyline.growing.mistakes import MISTAKES


def _loss(model, ids, shift=1, **how):
    logits = model(ids[:, : ids.shape[1] - shift])
    return nnF.cross_entropy(logits.flatten(0, 1), ids[:, shift:].flatten(), **how)


def _step(w, ids, n_heads, rate, *, shift=1, sign=-1, mistake="", names=None, **how):
    model = Given(w, n_heads, **MISTAKES.get(mistake, {}))
    loss = _loss(model, ids, shift, **how)
    loss.backward()
    gradients = {name: model.w[name].grad for name in names or w}
    moved = {name: w[name] + sign * rate * gradient for name, gradient in gradients.items()}
    return loss.item(), w | moved


def _functional(w, ids, n_heads, rate):
    model = Given(w, n_heads)
    loss = -model(ids)[:, :-1].log_softmax(-1).gather(-1, ids[:, 1:, None]).mean()
    gradients = torch.autograd.grad(loss, list(model.w.values()))
    return loss.item(), {name: w[name] - rate * g for name, g in zip(model.w, gradients, strict=True)}


@chapter.write(
    "One step of training · medium · 3 points · 20 minutes · may use PyTorch and your decoder",
    right=_functional,
    wrong={
        "does not shift": partial(_step, shift=0),
        "shifts twice": partial(_step, shift=2),
        "sums instead of averaging": partial(_step, reduction="sum"),
        "climbs": partial(_step, sign=1),
        "trains the head alone": partial(_step, names=["w_out", "b_out"]),
        "sees the future": partial(_step, mistake="no mask"),
        "returns the old weights": lambda w, *rest: (_step(w, *rest)[0], w),
        "takes its own rate": lambda w, ids, n, rate: _step(w, ids, n, 0.1),
        "always has two heads": lambda w, ids, n, rate: _step(w, ids, 2, rate),
    },
)
class step:
    def _case(self, rng):
        return weights(rng), torch.tensor(rng.integers(V, size=(3, 7)))

    def a_decoder_that_knows_nothing_loses_log_V(self, answer, rng):
        w, ids = self._case(rng)
        loss = answer(w | {"w_out": 0 * w["w_out"], "b_out": 0 * w["b_out"]}, ids, N_HEADS, 0.1)[0]
        expect_near(loss, math.log(V), f"a head of zeros, {V} kinds of tokens")

    def the_loss_is_that_of_the_next_tokens(self, answer, rng):
        for n_heads in (2, 4):
            w, ids = self._case(rng)
            expected = _loss(Given(w, n_heads), ids).item()
            what = f"{n_heads} heads, the mean over 3 texts of 6 predictions each"
            expect_near(answer(w, ids, n_heads, 0.1)[0], expected, what)

    def each_weight_goes_against_its_gradient(self, answer, rng):
        w, ids = self._case(rng)
        got, expected = answer(w, ids, N_HEADS, 0.3)[1], _step(w, ids, N_HEADS, 0.3)[1]
        for name, tensor in expected.items():
            expect_close(plain(got[name]), plain(tensor), f"{name} after a step", rtol=1e-3, atol=1e-4)

    def a_rate_of_zero_changes_nothing(self, answer, rng):
        w, ids = self._case(rng)
        for name, tensor in answer(w, ids, N_HEADS, 0.0)[1].items():
            expect_near(tensor, w[name], f"{name} after a step at a rate of 0")


def _generate(model, ids, n, context, temperature, top_k, seed, *, cut=lambda ids, context: ids[-context:], at=-1):
    generator, ids = torch.Generator().manual_seed(seed), list(ids)
    for _ in range(n):
        logits = model(torch.tensor([cut(ids, context)]))[0, at] / temperature
        if top_k:
            logits = logits.masked_fill(logits < logits.topk(top_k).values[-1], -math.inf)
        ids.append(int(torch.multinomial(logits.softmax(-1), 1, generator=generator)))
    return ids


def _by_noise(model, ids, n, context, temperature, top_k, seed):
    rng, ids = np.random.default_rng(seed), [*ids]
    for _ in range(n):
        logits = plain(model(torch.tensor([ids[max(len(ids) - context, 0) :]])))[0, -1]
        best = np.argsort(-logits)[:top_k]
        ids.append(int(best[np.argmax(logits[best] / temperature + rng.gumbel(size=top_k))]))
    return ids


@chapter.write(
    "Writing · medium · 3 points · 20 minutes · may use PyTorch",
    right=_by_noise,
    wrong={
        "always takes the best": lambda f, ids, n, c, tau, k, s: _generate(f, ids, n, c, tau, 1, s),
        "leaves no token out": lambda f, ids, n, c, tau, k, s: _generate(f, ids, n, c, tau, 0, s),
        "forgets the temperature": lambda f, ids, n, c, tau, k, s: _generate(f, ids, n, c, 1.0, k, s),
        "multiplies by the temperature": lambda f, ids, n, c, tau, k, s: _generate(f, ids, n, c, 1 / tau, k, s),
        "reads the first position": partial(_generate, at=0),
        "reads everything": partial(_generate, cut=lambda ids, context: ids),
        "reads the beginning": partial(_generate, cut=lambda ids, context: ids[:context]),
        "leaves the prompt out": lambda model, ids, *rest: _generate(model, ids, *rest)[len(ids) :],
        "draws the same every time": lambda f, ids, n, c, tau, k, s: _generate(f, ids, n, c, tau, k, 0),
    },
)
class generate:
    def _fixed(self, logits):
        return lambda ids: logits.expand(*ids.shape, len(logits))

    def the_best_of_one_is_greedy(self, answer, rng):
        order = rng.permutation(V).tolist()
        table, ids = draw(rng, V, V), (2 * order)[:13]
        table[order, order[1:] + order[:1]] += 20
        expect_equal(answer(lambda ids: table[ids], ids[:1], 12, 8, 0.7, 1, 5), ids, "top_k of 1, a bigram")

    def the_prompt_stays_in_front(self, answer, rng):
        prompt = rng.integers(V, size=4).tolist()
        got = answer(self._fixed(draw(rng, V)), prompt, 3, 8, 1.0, V, 1)
        expect_equal([list(got[:4]), len(got)], [prompt, 7], "a prompt of 4 tokens and 3 more")

    def no_more_is_read_than_the_context(self, answer, rng):
        def counting(ids):
            assert ids.shape[1] <= 3, f"a context of 3: expected at most 3 tokens, got {ids.shape[1]}"
            return nnF.one_hot((ids.sum(-1, keepdim=True) + 1) % V, V).expand(-1, ids.shape[1], -1) * 50.0

        ids = rng.integers(V, size=2).tolist()
        expected = list(ids)
        for _ in range(9):
            expected.append((sum(expected[-3:]) + 1) % V)
        expect_equal(
            answer(counting, ids, 9, 3, 1.0, 2, 0), expected, "a context of 3: each is the last three's sum and 1"
        )

    def the_least_likely_never_come(self, answer, rng):
        logits = draw(rng, V) / 5
        drawn = set(answer(self._fixed(logits), [0], 150, 4, 1.0, 3, 7)[1:])
        expect_equal(sorted(drawn), sorted(logits.topk(3).indices.tolist()), "top_k of 3, 150 draws")

    def a_temperature_sharpens(self, answer, rng):
        logits = torch.tensor([0.6, 0.0, 0.3, 0.1])[torch.tensor(rng.permutation(4))]
        ids = answer(self._fixed(logits), [0], 600, 4, 0.3, 4, 2)[1:]
        shares = np.bincount(ids, minlength=4) / 600
        expect_close(shares, plain((logits / 0.3).softmax(-1)), "frequencies at a temperature of 0.3", atol=0.08)

    def the_seed_decides(self, answer, rng):
        logits = draw(rng, V)
        texts = [answer(self._fixed(logits), [1], 20, 4, 1.0, V, seed) for seed in (3, 3, 4)]
        expect_equal(texts[1], list(texts[0]), "the same seed again")
        assert list(texts[2]) != list(texts[0]), f"another seed: expected another text, got {texts[2]}"


BUDGET, BAR = 150, 4.0  # steps, and bits per character


@cache
def course_text():
    """Cut the beginnings of both parts of the course's text into characters: what is read, and unseen windows."""
    read, unseen = (part[:n] for part, n in zip(corpora.docstrings_split(), (200_000, 64 * 65), strict=True))
    kinds = sorted({*read, *unseen})
    number = {kind: i for i, kind in enumerate(kinds)}
    ids, windows = (torch.tensor([number[character] for character in part]) for part in (read, unseen))
    return ids, windows.view(64, 65), len(kinds)


@torch.no_grad()
def bits(w):
    """What the unseen windows cost, if our model has these weights: it never sees the future, whatever trained them."""
    return _loss(Given(w, 4), course_text()[1]).item() / math.log(2)


_TRAINED: dict[tuple[object, ...], dict[str, torch.Tensor]] = {}


def _train(ids, w, n_heads, n_steps, *, mistake="", shift=1, names=None):
    """Train in the budget; a run that was made is remembered, since the laws are tried with it many times."""
    key = mistake, shift, names, n_steps, ids.sum().item(), w["embedding"].sum().item()
    if key not in _TRAINED:
        model = Given(w, n_heads, **MISTAKES.get(mistake, {}))
        for name, parameter in model.w.items():
            parameter.requires_grad_(names is None or name in names)
        for _ in growing.train(model, ids, n_steps, 1.5e-2, shift=shift):
            pass
        _TRAINED[key] = model.trained()
    return dict(_TRAINED[key])


@chapter.write(
    "The goal · hard · 6 points · 60 minutes · may use PyTorch and your functions",
    right=_train,
    wrong={
        "sees the future": partial(_train, mistake="no mask"),
        "has no positions": partial(_train, mistake="no positions"),
        "has no residual connections": partial(_train, mistake="no residual"),
        "shifts twice": partial(_train, shift=2),
        "trains the head alone": partial(_train, names=("w_out", "b_out")),
        "does not train": lambda ids, w, n_heads, n_steps: dict(w),
        "always makes three steps": lambda ids, w, n_heads, n_steps: _train(ids, w, n_heads, 3),
    },
)
class train:
    def without_a_step_the_weights_are_those_given(self, answer, rng):
        ids, _, size = course_text()
        w = start(size, 8, 1, seed=int(rng.integers(2**31)))
        got = answer(ids[:500], w, 2, 0)
        for name, tensor in w.items():
            expect_near(got[name], tensor, f"{name} after 0 steps")

    def every_weight_is_trained(self, answer, rng):
        w = start(V, 8, 2, seed=int(rng.integers(2**31)))
        got = answer(torch.tensor(rng.integers(V, size=500)), w, 2, 5)
        still = [name for name, tensor in w.items() if np.array_equal(plain(got[name]), tensor)]
        assert not still, f"5 steps: expected other weights, got the same {', '.join(still)}"

    def it_beats_the_bar(self, answer, rng):
        ids, _, size = course_text()
        got = answer(ids, start(size, 64, 2), 4, BUDGET)
        found = bits({name: torch.as_tensor(plain(tensor)) for name, tensor in got.items()})
        assert found < BAR, f"{BUDGET} steps: expected less than {BAR} bits per character, got {found:.2f}"
