"""Claims on drawing tokens, and on the cuts before a draw."""

import numpy as np
import torch

from clearformer.decoding import sample, sampler, temperature, top_k, top_p
from linebyline.claims.declare import claim, corrected, depends, holds

_FOUR = torch.tensor([[0.4, 0.3, 0.2, 0.1]], dtype=torch.float64)
# Certain: one token of .97 and 99 others. Unsure: 100 equal tokens.
_CERTAIN = torch.tensor([[0.97] + [0.03 / 99] * 99], dtype=torch.float64)
_UNSURE = torch.full((1, 100), 0.01, dtype=torch.float64)


def _n_kept(logits: torch.Tensor) -> int:
    return int(logits.isfinite().sum())


def _shown(logits: torch.Tensor) -> str:
    return " ".join(f"{p:.3f}" for p in logits.softmax(dim=-1)[0].tolist() if p > 0)


def _highest(probabilities: torch.Tensor, k: int) -> torch.Tensor:
    """The top k of tokens that may tie: small steps make their logits different."""
    steps = 1e-9 * torch.arange(probabilities.shape[1], dtype=torch.float64)
    return top_k(probabilities.log() - steps, k)


@claim("004", "drawing", "Sampling gives controlled randomness.")
@holds("The probabilities are the model's and our settings', the draws the generator's.")
def _controlled_randomness() -> str:
    def fair(ids: torch.Tensor) -> torch.Tensor:
        return torch.zeros(len(ids), 5)

    def alike(seed: int) -> int:
        (first,), (other,) = (
            sample(fair, [[0]], 40, generator=torch.Generator().manual_seed(number)) for number in (0, seed)
        )
        return sum(a == b for a, b in zip(first, other, strict=True))

    return f"40 tokens of 5, alike: {alike(0)} with the same seed, {alike(1)} with another"


@claim("004", "tail", "With temperature alone any token may come, and a high one makes the text incoherent.")
@holds("No temperature gives a token the probability 0; a high one fills the tail.")
def _any_token() -> str:
    z = torch.from_numpy(np.random.default_rng(0).normal(size=(1, 1000)))
    masses = []
    for tau in (1.0, 2.0):
        p = temperature(z, tau).softmax(dim=-1).sort(descending=True).values[0]
        masses.append(float(p[100:].sum()))
    return f"1000 tokens, mass outside the best 100: {masses[0]:.0%} at τ=1, {masses[1]:.0%} at τ=2; none has 0"


@claim("004", "three-cuts", "Top-k selects the k likeliest tokens, renormalizes and draws.")
@holds("All that are kept gain the same factor, one over their mass.")
def _top_k_steps() -> str:
    return f".4 .3 .2 .1 with k=2: {_shown(top_k(_FOUR.log(), 2))}, each divided by .7"


@claim("004", "three-cuts", "The vocabulary is limited, and one samples again.")
@holds("Drawing again until the token is inside equals one draw after renormalization.")
def _resample() -> str:
    generator = torch.Generator().manual_seed(0)
    ids = torch.zeros(300_000, 1, dtype=torch.int64)
    tokens = sampler(generator=generator)(_FOUR.log().expand(300_000, -1), ids)
    inside = tokens[tokens < 2]
    first = float((inside == 0).double().mean())
    return f".4 .3 .2 .1 with k=2: drawn until inside, {first:.2f} are the first; .4/.7 = 0.57"


@claim("004", "sure-and-unsure", "Where the model is certain, a large k is too random.")
@depends("It lets in what is nearly impossible; what that weighs, the model decides, and it may be little.")
def _top_k_certain() -> str:
    mass = 1 - float(_highest(_CERTAIN, 50).isfinite().double().mul(_CERTAIN).sum())
    kept = _n_kept(_highest(_CERTAIN, 50)), _n_kept(top_p(_CERTAIN.log(), 0.9))
    return f"one of .97 and 99 others: k=50 keeps {kept[0]} (leaves out {mass:.3f}), p=.9 keeps {kept[1]}"


@claim("004", "sure-and-unsure", "Where the model is unsure, a small k is too deterministic.")
@holds("It forbids most of what is likely; a nucleus grows instead.")
def _top_k_unsure() -> str:
    steps = _UNSURE.log() - 1e-9 * torch.arange(100, dtype=torch.float64)
    kept = _highest(_UNSURE, 5).isfinite().double()
    nucleus = _n_kept(top_p(steps, 0.895))
    return f"100 tokens alike: k=5 keeps {float((kept * _UNSURE).sum()):.0%} of the mass, p=.895 keeps {nucleus}"


@claim("004", "three-cuts", "The nucleus is the smallest set whose probability exceeds p.")
@depends("Usually it need only reach p. The two differ where a sum is exactly p, and rounding decides there.")
def _nucleus_exceeds() -> str:
    probabilities = torch.tensor([[0.5, 0.3, 0.2]], dtype=torch.float64)
    reach, exceed = (_n_kept(top_p(probabilities.log(), p)) for p in (0.8 - 1e-9, 0.8 + 1e-9))
    return f"p=.8 on .5 .3 .2: {reach} tokens reach it, {exceed} exceed it"


@claim("004", "three-cuts", "In top-p sampling the probabilities of the top k tokens are renormalized.")
@corrected("Those of the nucleus; there is no k.")
def _nucleus_renormalizes() -> str:
    nucleus, top = top_p(_FOUR.log(), 0.85), top_k(_FOUR.log(), 2)
    return f".4 .3 .2 .1: nucleus of .85 {_shown(nucleus)}; the top 2 {_shown(top)}"
