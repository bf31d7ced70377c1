"""Claims on decoding before a token is chosen: temperature, and the three penalties on what came before."""

from functools import cache

import numpy as np
import torch

from clearformer import decoding
from clearformer import functional as F
from clearformer.decoding import frequency_penalty, greedy_search, presence_penalty, repetition_penalty, sample
from linebyline.claims.declare import claim, corrected, depends, difference, gap, holds

# Probabilities .6285, .2312 and .1402.
THREE = np.array([2.0, 1.0, 0.5])


def _numbers(values: np.ndarray, digits: int = 3) -> str:
    return ", ".join(f"{value:.{digits}f}" for value in values)


START = "The "
LENGTH = 400


@cache
def _pairs() -> tuple[str, torch.Tensor]:
    """The characters of a text, and the counts of all pairs of them plus 0.01, (V, V)."""
    text = " ".join(str(np.__doc__).split())
    alphabet = "".join(sorted(set(text)))
    number = {character: i for i, character in enumerate(alphabet)}
    ids = torch.tensor([number[character] for character in text])
    counts = torch.full((len(alphabet), len(alphabet)), 0.01, dtype=torch.float64)
    counts.index_put_((ids[:-1], ids[1:]), torch.ones(len(ids) - 1, dtype=torch.float64), accumulate=True)
    return alphabet, counts


def _next_logits(ids: torch.Tensor) -> torch.Tensor:
    return _pairs()[1][ids[:, -1]].log()


def _prompt() -> list[list[int]]:
    return [[_pairs()[0].index(character) for character in START]]


@claim("004", "logits", "A token's probability is the softmax of logits divided by τ.")
@holds("Yes.")
def _softmax_with_temperature() -> str:
    logits = np.random.default_rng(0).normal(size=(100, 11))
    by_hand = np.exp(logits / 0.7) / np.exp(logits / 0.7).sum(axis=-1, keepdims=True)
    package = decoding.temperature(torch.tensor(logits), 0.7).softmax(dim=-1).numpy()
    return f"100 rows of 11 logits, τ=0.7: {difference(gap(by_hand, package))}"


@claim("004", "boltzmann")
@holds("With k = 1. The ratio of two probabilities is exp(-ΔE/τ).")
def _boltzmann() -> str:
    """Temperature is that of Boltzmann: a higher one makes states of different energy more alike."""
    p = [F.softmax(THREE / tau) for tau in (0.5, 1.0, 2.0)]
    return f"p₀/p₁ at τ = 0.5, 1, 2: {_numbers(np.array([first / second for first, second, _ in p]), 2)}"


@claim("004", "boltzmann", "Logits play the part of energies.")
@corrected("Energy is the negative logit; with the other sign the likeliest token becomes the least likely.")
def _energy_is_logit() -> str:
    wrong, right = (F.softmax(-sign * THREE)[0] for sign in (1, -1))
    return f"logit 2 of 2, 1, 0.5: p = {wrong:.3f} with E = z, {right:.3f} with E = -z"


@claim("004", "entropy", "The higher the temperature, the more random.")
@holds("The entropy has the slope Var(z)/τ³, which is never negative.")
def _hotter_more_random() -> str:
    logits = 3 * np.random.default_rng(0).normal(size=(1000, 1, 11))
    log_p = F.log_softmax(logits / np.geomspace(0.1, 10, 20)[:, None])  # (1000, 20, V)
    curves = -(np.exp(log_p) * log_p).sum(axis=-1)  # (1000, 20)
    rises = (np.diff(curves) > 0).all(axis=-1).sum()
    return f"20 temperatures, {rises} of 1000 rows of logits: entropy rises at every step"


@claim("004", "entropy", "Heating makes the less probable tokens more probable.")
@depends("A token rises while its logit is below the mean logit; one in the middle rises first and then falls.")
def _unlikely_rise() -> str:
    p = [F.softmax(np.array([3.0, 2.0, 0.0]) / tau)[1] for tau in (0.5, 4.0, 1000.0)]
    return f"logits 3, 2, 0: the second has p = {_numbers(np.array(p))} at τ = 0.5, 4, 1000"


def _entropy(p: np.ndarray) -> float:
    return float(-(p * np.log(p, where=p > 0, out=np.zeros_like(p))).sum()) + 0.0


@claim("004", "limits", "Towards τ = 0 the choice becomes deterministic.")
@depends("If one logit is the highest; tied ones share the probability.")
def _tau_to_zero() -> str:
    alone, tied = (_entropy(F.softmax(np.array(z) / 0.001)) for z in ((2.0, 1.0, 0.5), (2.0, 2.0, 0.5)))
    return f"entropy at τ=0.001: logits 2, 1, 0.5 {alone:.3f}; logits 2, 2, 0.5 {tied:.3f} = ln 2"


@claim("004", "limits", "Towards infinite τ the choice becomes uniform.")
@holds("Among the tokens that are not masked.")
def _tau_to_infinity() -> str:
    free, masked = 3 * F.softmax(THREE / 1000), F.softmax(np.array([2, 1, -np.inf]) / 1000)
    return f"V·p at τ=1000: {_numbers(free)}; p with a masked token {_numbers(masked, 2)}"


@claim("004", "limits", "At τ = 1 probabilities reflect differences of logits.")
@depends("At every τ they do: ln(p_i/p_j) = (z_i - z_j)/τ. Special about 1 is that the model was trained there.")
def _differences_at_one() -> str:
    logs = [np.log(F.softmax(THREE / tau)) for tau in (0.5, 1.0, 2.0)]
    errors = [abs(tau * (log[0] - log[1]) - 1) for tau, log in zip((0.5, 1.0, 2.0), logs, strict=True)]
    return f"τ·ln(p₀/p₁) against z₀ - z₁ at τ = 0.5, 1, 2: {difference(max(errors))}"


@claim("004", "sure-unsure", "A temperature above 1 is not recommended: more randomness than was learned.")
@depends("For logits that fit the data. Logits that are too large need τ > 1 to fit them.")
def _above_one() -> str:
    true = F.softmax(np.random.default_rng(0).normal(size=(200, 11)))
    taus, best = np.arange(1, 61) / 20, []
    for confidence in (1.0, 2.0):
        losses = [-(true * F.log_softmax(confidence * np.log(true) / tau)).sum(axis=-1).mean() for tau in taus]
        best.append(taus[int(np.argmin(losses))])
    right, large = best
    return f"lowest cross-entropy at τ={right:.2f} for the right logits, at τ={large:.2f} for logits twice too large"


def _repeated(ids: list[int], n: int = 4) -> float:
    """The fraction of n-grams that came before."""
    grams = list(zip(*(ids[i:] for i in range(n)), strict=False))
    return 1 - len(set(grams)) / len(grams)


@claim("004", "loops", "Models fall into loops, and more often under greedy and beam search than when drawing.")
@holds("For greedy search and drawing: even the simplest model shows it.")
def _loops_in_search() -> str:
    (greedy,) = greedy_search(_next_logits, _prompt(), LENGTH)
    (drawn,) = sample(_next_logits, _prompt(), LENGTH, generator=torch.Generator().manual_seed(0))
    fractions = f"greedy {_repeated(greedy):.2f}, drawn {_repeated(drawn):.2f}"
    return f"bigrams of characters, share of 4-grams that came before: {fractions}"


@claim("004", "loops", "A loop is a feedback: a phrase that was chosen becomes context and makes itself more probable.")
@depends("In a Transformer it can be. A model that sees one token back has no such feedback and loops all the same.")
def _loop_by_feedback() -> str:
    (greedy,) = greedy_search(_next_logits, _prompt(), LENGTH)
    period = greedy[::-1].index(greedy[-1], 1)
    loop = "".join(_pairs()[0][i] for i in greedy[-period:])
    log_p = _next_logits(torch.tensor(greedy)[:, None]).log_softmax(dim=-1).amax(dim=-1)  # of each choice
    second, last = (log_p[start:][:period].sum().exp().item() for start in (period, LENGTH - period))
    return f"greedy bigrams of characters repeat {loop!r}: the second round has p = {second:.3f}, the last {last:.3f}"


@claim("004", "penalties", "The frequency penalty takes α from a logit for each time the token came.")
@holds("Yes.")
def _frequency_formula() -> str:
    lower = 5 - frequency_penalty(torch.full((1, 3), 5.0), torch.tensor([[0, 2, 0, 0]]), 0.5)[0]
    return f"α=0.5, tokens that came 3, 0, 1 times: lower by {_numbers(lower.numpy(), 1)}"


@claim("004", "penalties", "The presence penalty takes β from the logit of each token that came.")
@holds("Yes, once.")
def _presence_formula() -> str:
    lower = 5 - presence_penalty(torch.full((1, 3), 5.0), torch.tensor([[0, 2, 0, 0]]), 0.5)[0]
    return f"β=0.5, tokens that came 3, 0, 1 times: lower by {_numbers(lower.numpy(), 1)}"


@claim("004", "penalties", "The presence penalty is too harsh compared with the frequency penalty.")
@corrected("At equal strength they agree at the first occurrence; from the second on frequency is the harsher.")
def _presence_harsher() -> str:
    z, lower = torch.full((1, 2), 5.0), []
    for n in (1, 2, 10):
        ids = torch.zeros(1, n, dtype=torch.int64)
        lower.append([5 - penalty(z, ids, 0.5)[0, 0].item() for penalty in (frequency_penalty, presence_penalty)])
    return "lower by, α = β = 0.5: " + "; ".join(
        f"n={n} frequency {f:.1f}, presence {p:.1f}" for n, (f, p) in zip((1, 2, 10), lower, strict=True)
    )


@claim("004", "penalties", "The repetition penalty is a multiplication.")
@corrected("Positive logits are divided: multiplied, they would gain.")
def _repetition_multiplies() -> str:
    z = torch.tensor([[2.0, -2.0]])
    plain, right = (1.3 * z)[0].numpy(), repetition_penalty(z, torch.tensor([[0, 1]]), 1.3)[0].numpy()
    return f"2 and -2, ρ=1.3: multiplied {_numbers(plain, 2)}; as its formula says {_numbers(right, 2)}"


def _p_after_penalty(logits: np.ndarray, came: list[int]) -> float:
    """The probability of token 0 after a repetition penalty on the tokens that came."""
    return repetition_penalty(torch.tensor(logits)[None], torch.tensor([came]), 1.3).softmax(dim=-1)[0, 0].item()


@claim("004", "penalties", "It divides the positive logits of tokens that came by ρ, and multiplies the negative ones.")
@depends("So do programs. But the result depends on a constant in all logits, which no probability shows.")
def _repetition_formula() -> str:
    p = [_p_after_penalty(THREE + shift, [0]) for shift in (0, 5, -5)]
    return f"p = .629, ρ=1.3, logits +0, +5, -5: {_numbers(np.array(p))}"


@claim("004", "penalties", "It has a rule for positive and one for negative logits.")
@corrected("A logit of 0 has none. Either rule leaves it at 0, so no ρ can punish it.")
def _repetition_two_cases() -> str:
    z, came = torch.tensor([[0.0, 1.0]]), torch.tensor([[0]])
    after = [repetition_penalty(z, came, rho)[0, 0].item() for rho in (1.3, 100.0)]
    return f"a logit 0 that came before, ρ = 1.3, 100: {_numbers(np.array(after), 1)}"


@claim("004", "penalties", "The repetition penalty looks at prompt and output, the other two at the output.")
@depends("A custom of some programs, not a part of the formulas: each takes the tokens that it is given.")
def _repetition_whole_sequence() -> str:
    p = [_p_after_penalty(THREE, came) for came in ([0, 1], [1])]
    return f"token 0 is in the prompt: p = {p[0]:.3f} if the prompt counts, {p[1]:.3f} if not"
