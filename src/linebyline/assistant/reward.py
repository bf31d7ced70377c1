"""Learn from a rule that checks answers: policy gradients with several baselines, GRPO, and rejection sampling."""

import copy
import itertools
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from clearformer import training
from clearformer.models import Decoder

from .chat import Pair, draws, sum_pair
from .tuning import tuned
from .world import PAD, draw_sum, text_of

QUESTIONS, ANSWERS, STEPS, LONGEST, WARMUP = 16, 8, 150, 14, 10  # 128 answers a step, 19,200 in all
Reward = Callable[[Sequence[int], Pair], float]
Advantages = Callable[[Float[Tensor, "P G"]], Float[Tensor, "P G"]]


def strict(answer: Sequence[int], pair: Pair) -> float:
    """Reward an answer that the rule accepts with 1, and any other with 0."""
    return float(pair.accepts(answer))


def exact(answer: Sequence[int], pair: Pair) -> float:
    """Reward an answer that is right and has copied both numbers, in their order, with 1, and any other with 0."""
    return float(pair.accepts(answer) and text_of(answer) == pair.answer)


def number_anywhere(answer: Sequence[int], pair: Pair) -> float:
    """Reward an answer in which the digits of the sum occur somewhere: a check that can be deceived."""
    return float(pair.value.replace(" ", "") in text_of(answer).replace(" ", ""))


ADVANTAGES: Mapping[str, Advantages] = {
    "no baseline": lambda rewards: rewards,
    "mean of the batch": lambda rewards: rewards - rewards.mean(),
    "mean of the group": lambda rewards: training.group_advantages(rewards, normalized=False),
    "GRPO": training.group_advantages,
}


@dataclass(frozen=True)
class Answers:
    """Sampled answers to some questions, ready for a loss."""

    prompts: Int[Tensor, "n S"]
    ids: Int[Tensor, "n T"]  #: The answers, filled up with padding
    rewards: Float[Tensor, "P G"]

    @property
    def counted(self) -> Bool[Tensor, "n T"]:
        """True at the tokens of the answers."""
        return self.ids != PAD

    def log_probs(self, model: Decoder) -> tuple[Float[Tensor, "n T"], Float[Tensor, ""]]:
        """Compute the log-probability of each token of the answers, and the mean entropy of the distributions."""
        read = torch.cat([self.prompts, self.ids], dim=1)[:, :-1]
        all_of = model(read)[:, self.prompts.shape[1] - 1 :].log_softmax(dim=-1)  # (n, T, vocab_size)
        entropy = -(all_of.exp() * all_of).sum(dim=-1)  # (n, T)
        chosen = all_of.gather(-1, self.ids[..., None]).squeeze(-1)  # (n, T)
        return chosen, (entropy * self.counted).sum() / self.counted.sum()


def answers(
    model: Decoder, pairs: Sequence[Pair], n: int, generator: torch.Generator, reward: Reward, longest: int = LONGEST
) -> Answers:
    """Sample ``n`` answers to each of some questions of the same length, and reward each."""
    repeated = [pair for pair in pairs for _ in range(n)]
    prompts = torch.tensor([pair.prompt() for pair in repeated])
    sampled = draws(model, prompts.tolist(), generator, n=longest)
    ids = torch.full((len(sampled), longest), PAD)
    for row, answer in zip(ids, sampled, strict=True):
        row[: len(answer)] = torch.tensor(answer)
    rewards = torch.tensor([reward(answer, pair) for answer, pair in zip(sampled, repeated, strict=True)])
    return Answers(prompts, ids, rewards.view(len(pairs), n))


def draw_pairs(generator: random.Random, n: int) -> list[Pair]:
    """Draw sums to ask for, of those that are in the texts."""
    return [sum_pair(*draw_sum(generator)) for _ in range(n)]


def rewarded(
    model: Decoder,
    advantages: Advantages = training.group_advantages,
    *,
    rate: float = 3e-4,
    seed: int = 0,
    steps: int = STEPS,
    reward: Reward = strict,
    longest: int = LONGEST,
    evenly: bool = False,
    watch: Callable[[int, Decoder, Answers], None] = lambda step, model, sampled: None,
) -> Decoder:
    """Return a copy of a model that has learned from rewards for its own answers.

    Each step samples answers to some questions, and makes one step of gradient descent on the loss of GRPO with the
    advantages that are asked for; since the model is the one that has sampled them, nothing is clipped. The loss of an
    answer is the mean over its tokens, or with ``evenly`` their sum divided by ``longest``, the same number for all.
    The learning rate is constant after the first steps.
    """
    made, draw, step = copy.deepcopy(model), random.Random(1000 + seed), itertools.count()

    def sample(generator: torch.Generator) -> training.Batch:
        sampled = answers(made, draw_pairs(draw, QUESTIONS), ANSWERS, generator, reward, longest)
        watch(next(step), made, sampled)
        return sampled.prompts, sampled.ids, sampled.rewards

    def loss(_: nn.Module, batch: training.Batch) -> Tensor:
        sampled = Answers(*batch)
        gains = advantages(sampled.rewards).flatten()  # (n,)
        if evenly:
            gains = gains * sampled.counted.sum(dim=1) / longest
        log_probs = sampled.log_probs(made)[0]
        return training.grpo_loss(log_probs, log_probs, gains, sampled.counted)

    training.Trainer(
        made,
        sample,
        training.warmup_cosine(rate, min(WARMUP, steps), steps, floor=1.0),
        generator=torch.Generator().manual_seed(1000 + seed),
        loss=loss,
        optimizer=partial(training.adamw, weight_decay=0.0),
    ).run(steps)
    return made


def signal_and_noise(
    model: Decoder, ways: Mapping[str, Advantages], n: int = 48, *, seed: int = 0, evenly: bool = False
) -> dict[str, tuple[float, float]]:
    """Measure the length of the expected gradient, and the spread of the gradient of one batch around it.

    All ways see the same ``n`` batches of 128 sampled answers.
    """
    generator, draw = torch.Generator().manual_seed(3000 + seed), random.Random(3000 + seed)
    sums = {name: torch.zeros(sum(p.numel() for p in model.parameters()), dtype=torch.float64) for name in ways}
    squares = dict.fromkeys(ways, 0.0)
    for _ in range(n):
        sampled = answers(model, draw_pairs(draw, QUESTIONS), ANSWERS, generator, strict)
        log_probs, _ = sampled.log_probs(model)
        each = (log_probs * sampled.counted).sum(dim=1)  # (n,)
        each = each / (LONGEST if evenly else sampled.counted.sum(dim=1))
        for name, advantages in ways.items():
            loss = -(advantages(sampled.rewards).flatten() * each).mean()
            parts = torch.autograd.grad(loss, list(model.parameters()), retain_graph=True)
            flat = torch.cat([part.flatten() for part in parts]).double()
            sums[name] += flat
            squares[name] += flat.square().sum().item()
    found = {}
    for name in ways:
        mean = sums[name].square().sum().item() / n**2
        variance = (squares[name] - n * mean) / (n - 1)
        found[name] = (max(mean - variance / n, 0.0) ** 0.5, variance**0.5)
    return found


def kept(
    model: Decoder, draw: random.Random, n: int, generator: torch.Generator, reward: Reward = strict
) -> list[tuple[Pair, str]]:
    """Sample answers to ``n`` sums, and keep the right ones, each text once for a question."""
    pairs = draw_pairs(draw, n)
    sampled = answers(model, pairs, ANSWERS, generator, reward)
    right = (sampled.rewards.flatten() > 0).nonzero().squeeze(1).tolist()
    return sorted({(pairs[row // ANSWERS], text_of(sampled.ids[row].tolist())) for row in right}, key=str)


def rejected(
    model: Decoder, rounds: int, *, rate: float = 5e-4, seed: int = 0, steps: int = STEPS, reward: Reward = strict
) -> Decoder:
    """Return a copy of a model that was tuned, in rounds, on those of its own answers that were right.

    It samples as many answers as ``rewarded``, makes as many steps, and reads as many answers in each.
    """
    made = model
    generator, draw = torch.Generator().manual_seed(2000 + seed), random.Random(2000 + seed)
    for number in range(rounds):
        right = kept(made, draw, steps * QUESTIONS // rounds, generator, reward)
        taught = [Pair(p.question, text, p.value, p.kind) for p, text in right]
        options = {"rate": rate, "seed": 100 * seed + number, "batch": QUESTIONS * ANSWERS}
        made = tuned(made, taught, steps=steps // rounds, **options)
    return made


def pass_at(
    model: Decoder, pairs: Sequence[Pair], ks: Sequence[int], n: int = 16, *, seed: int = 0
) -> dict[int, float]:
    """Measure pass@k on some questions for each k, from ``n`` samples of each."""
    sampled = answers(model, pairs, n, torch.Generator().manual_seed(seed), strict)
    right = sampled.rewards.sum(dim=1).int().tolist()
    return {k: sum(training.pass_at_k(n, c, k) for c in right) / len(right) for k in ks}
