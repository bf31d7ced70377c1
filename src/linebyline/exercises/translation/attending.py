"""The last exercises on translation: keys, padding, and the smoothed loss."""

from functools import partial

import numpy as np
import torch

from clearformer import functional as F
from clearformer.models import TransformerConfig, transformer
from linebyline.exercises.core import also, expect_close, instead
from linebyline.exercises.translation.words import chapter


@chapter.predict(
    "Keys of a translation · medium · 3 points · 15 minutes · may use pen and paper",
    ("keys without caches", "keys with caches"),
    within=0.005,
    right=(6 * (10 * 12 + 55), 6 * 22),
    wrong={
        "This is one block. Every block has keys of its own, of the source and of the target.": (175, 22),
        "The second is right. But without caches step t reads t tokens of the target, not all ten.": (1320, 132),
        "The second is right. But without caches the source is projected again at each step.": (402, 132),
        "The second is right. But without caches the whole past of the target is projected again, too.": (780, 132),
        "The first is right. But the keys of the source do not change from step to step: once is enough.": (1050, 780),
        "The first is right. But the keys of the target's own words are needed as well, one each.": (1050, 72),
        "These are the keys of the source alone. A decoder attends to its own words, too.": (720, 72),
    },
)
def cached(rng):
    """Write a target token by token, and count the keys of each step: of the source, and of the target."""
    config = TransformerConfig(vocab_size=29, context=16, d_model=8, n_heads=2, n_layers=6, d_ff=8)
    model = transformer(config, torch.Generator().manual_seed(0))
    source, target = (torch.from_numpy(rng.integers(29, size=length)) for length in (12, 10))

    without = 0
    for t in range(10):
        memory, caches = model.encode(source), model.decoder.new_caches()
        model.decoder(target[: t + 1], memory, caches=caches)
        without += sum(map(len, (*memory.caches, *caches)))

    memory, caches = model.encode(source), model.decoder.new_caches()
    for t in range(10):
        model.decoder(target[t : t + 1], memory, caches=caches)
    return without, sum(map(len, (*memory.caches, *caches)))


def _draw_sentences(rng, lengths, T=3):
    S = max(lengths)
    ids = np.where(np.arange(S) < np.array(lengths)[:, None], rng.integers(1, 9, size=(len(lengths), S)), 0)
    return ids, rng.normal(size=(len(lengths), T, 4)), rng.normal(size=(9, 4))


def _alone(ids, y, table):
    """The scores of one sentence without padding."""
    x = table[ids]
    x = F.scaled_dot_product_attention(x, x, x)[0]
    return F.scaled_dot_product_attention(y, x, x)[0] @ table.T


@chapter.diagnose(
    "A translation that depends on its neighbors · medium · 3 points · 15 minutes · may use NumPy and `F`",
    """
def word_scores(ids, y, table, pad):
    real = ids != pad  # (B, S)
?   True where a word is one, whatever the id of padding is. That is what both layers need to know.
    x = table[ids]  # (B, S, d)
?   Padding gets a vector, too. That does no harm while nobody looks at it.
    x, _ = F.scaled_dot_product_attention(x, x, x, real[:, :, None])
!   x, _ = F.scaled_dot_product_attention(x, x, x, real[:, None])
?   The mask is on the queries: the padding sees nothing, and every real word sees the padding. To hide
?   a word it must be hidden as a key, along the last axis.
    y, _ = F.scaled_dot_product_attention(y, x, x, real[:, None])
?   The decoder asks, the words of the source are keys, and the mask runs along them, the same for each query.
    return y @ table.T  # (B, T, V)
?   A row of scores for each position, by the same table. No source comes in.
""",
    wrong={
        "hides the padding from nobody": "x, _ = F.scaled_dot_product_attention(x, x, x)",
        "hides the words and shows the padding": "x, _ = F.scaled_dot_product_attention(x, x, x, ~real[:, None])",
        "lets the words read forward only": (
            "x, _ = F.scaled_dot_product_attention(x, x, x, np.tri(x.shape[1], dtype=bool) & real[:, None])"
        ),
        "sets padding to zero before attention": "x, _ = F.scaled_dot_product_attention(*3 * (x * real[:, :, None],))",
        "lets a word or padding see padding by or": (
            "x, _ = F.scaled_dot_product_attention(x, x, x, real[:, None] | real[:, :, None])"
        ),
        "leaves the layer out": "x = x * real[:, :, None]",
        "gives padding a vector of zeros": instead(2, "x = table[ids] * real[:, :, None]"),
        "lets the decoder see the padding": also(4, "y, _ = F.scaled_dot_product_attention(y, x, x)"),
        "takes padding to be 0": also(1, "real = ids != 0"),
        "lets the decoder ask itself": also(4, "y, _ = F.scaled_dot_product_attention(y, y, y)"),
    },
)
class neighbours:
    def a_case_worked_by_hand(self, answer, rng):
        ids, y, table = np.array([[1, 2], [2, 0]]), np.zeros((2, 1, 1)), np.array([[9.0], [0.0], [4.0]])
        weight = np.exp(16) / (1 + np.exp(16))  # of word 2 in the eyes of word 2; word 1 sees both alike
        first = (2 + 4 * weight) / 2
        expected = [[[9 * first, 0, 4 * first]], [[36, 0, 16]]]
        expect_close(answer(ids, y, table, 0), expected, "words of 0 and 4, padding of 9, queries of 0")

    def each_sentence_is_what_it_is_alone(self, answer, rng):
        lengths = (5, 2, 3)
        ids, y, table = _draw_sentences(rng, lengths)
        got = np.asarray(answer(ids, y, table, 0))
        for b, length in enumerate(lengths):
            expected = _alone(ids[b, :length], y[b], table)
            expect_close(got[b], expected, f"a sentence of {length} words beside others, against it alone")

    def more_padding_changes_nothing(self, answer, rng):
        ids, y, table = _draw_sentences(rng, (4, 1))
        wider = np.pad(ids, ((0, 0), (0, 3)), constant_values=0)
        expect_close(answer(wider, y, table, 0), answer(ids, y, table, 0), "three more columns of padding")

    def sentences_of_one_length(self, answer, rng):
        ids, y, table = _draw_sentences(rng, (4, 4))
        expected = [_alone(*pair, table) for pair in zip(ids, y, strict=True)]
        expect_close(answer(ids, y, table, 0), expected, "two sentences of four words, no padding")

    def what_padding_is_called_changes_nothing(self, answer, rng):
        ids, y, table = _draw_sentences(rng, (3, 5))
        moved = np.where(ids == 0, 9, ids)
        got = np.asarray(answer(moved, y, np.append(table, rng.normal(size=(1, 4)), axis=0), 9))[..., :9]
        expect_close(got, answer(ids, y, table, 0), "another id, and another vector, for padding")


def _by_autograd(logits, targets, share, pad):
    z = torch.tensor(logits, requires_grad=True)
    loss = torch.nn.functional.cross_entropy(
        z.flatten(0, -2), torch.from_numpy(targets).flatten(), label_smoothing=share, ignore_index=pad
    )
    return loss.item(), torch.autograd.grad(loss, z)[0].numpy()


def _asked(targets, share, V):
    """The probabilities that are asked for."""
    return (1 - share) * (np.arange(V) == targets[..., None]) + share / V  # (B, T, V)


def _smoothed(logits, targets, share, pad, *, asked=None, n=None, everywhere=False):
    """The right answer, or with other probabilities asked for, another number to divide by, or padding that counts."""
    q = _asked(targets, share, logits.shape[-1]) if asked is None else asked
    log_p, counts = F.log_softmax(logits), np.ones_like(targets, bool) if everywhere else targets != pad
    n = counts.sum() if n is None else n
    losses = -(q * log_p).sum(axis=-1)  # (B, T)
    return losses[counts].sum() / n, np.where(counts[..., None], np.exp(log_p) - q, 0) / n


def _draw_logits(rng):
    targets = np.where(np.arange(4) < rng.permutation([2, 3, 4])[:, None], rng.integers(1, 5, size=(3, 4)), 0)
    return rng.normal(size=(3, 4, 5)), targets


def _direct(logits, targets, share, pad):
    p = np.exp(logits) / np.exp(logits).sum(axis=-1, keepdims=True)
    q, counts = _asked(targets, share, logits.shape[-1]), targets != pad
    loss = -(q * np.log(p)).sum(axis=-1)[counts].mean()
    return loss, np.where(counts[..., None], p - q, 0) / counts.sum()


def _but(change):
    """The right answer with a change of its loss and gradient."""
    return lambda z, targets, share, pad: change(*_smoothed(z, targets, share, pad), z, targets, share, pad)


@chapter.write(
    "A smoothed loss and its gradient · hard · 5 points · 35 minutes · may use NumPy and `F.log_softmax`",
    entry="smoothed_loss",
    right=_by_autograd,
    wrong={
        "shares among the other words only": lambda z, t, s, pad: _smoothed(
            z, t, s, pad, asked=np.where(np.arange(z.shape[-1]) == t[..., None], 1 - s, s / (z.shape[-1] - 1))
        ),
        "takes the share from nobody": lambda z, targets, share, pad: _smoothed(
            z, targets, share, pad, asked=_asked(targets, share, z.shape[-1]) + share * np.eye(z.shape[-1])[targets]
        ),
        "lets padding count": partial(_smoothed, everywhere=True),
        "divides by all positions": lambda z, targets, share, pad: _smoothed(z, targets, share, pad, n=targets.size),
        "adds up in place of averaging": partial(_smoothed, n=1),
        "does not average the gradient": _but(lambda loss, d, z, t, s, pad: (loss, d * (t != pad).sum())),
        "turns the gradient round": _but(lambda loss, d, z, targets, share, pad: (loss, -d)),
        "does not smooth the gradient": _but(lambda loss, d, z, t, s, pad: (loss, _smoothed(z, t, 0.0, pad)[1])),
        "does not smooth the loss": _but(lambda loss, d, z, t, s, pad: (_smoothed(z, t, 0.0, pad)[0], d)),
        "averages each sentence by itself": _but(
            lambda loss, d, z, t, s, pad: (np.mean([_smoothed(*row, s, pad)[0] for row in zip(z, t, strict=True)]), d)
        ),
        "takes padding to be 0": lambda z, targets, share, pad: _smoothed(z, targets, share, 0),
        "takes the exponential as it is": _direct,
    },
)
class smoothed:
    def a_case_worked_by_hand(self, answer, rng):
        loss, gradient = answer(np.zeros((1, 2, 4)), np.array([[1, 3]]), 0.2, 3)
        expect_close(loss, np.log(4), "loss of four equally likely words")
        expected = [[[0.2, -0.6, 0.2, 0.2], [0.0] * 4]]
        expect_close(
            gradient, expected, "gradient with target 1 and then padding, share 0.2, four equally likely words"
        )

    def without_smoothing_it_is_the_mean_surprise(self, answer, rng):
        logits, targets = _draw_logits(rng)
        rows = F.log_softmax(logits)[targets != 0]
        chosen = rows[np.arange(len(rows)), targets[targets != 0]]
        expect_close(answer(logits, targets, 0.0, 0)[0], -chosen.mean(), "share 0: mean surprise at 9 words")

    def the_gradient_is_the_slope_of_the_loss(self, answer, rng):
        logits, targets = _draw_logits(rng)
        way = rng.normal(size=logits.shape)
        ahead, behind = (float(answer(logits + step * way, targets, 0.1, 0)[0]) for step in (1e-5, -1e-5))
        slope = np.sum(np.asarray(answer(logits, targets, 0.1, 0)[1]) * way)
        expect_close(slope, (ahead - behind) / 2e-5, "gradient along a direction, against two losses", rtol=1e-5)

    def a_model_that_gives_what_is_asked_for_has_no_gradient(self, answer, rng):
        targets = _draw_logits(rng)[1]
        q = _asked(targets, 0.3, 5)
        loss, gradient = answer(np.log(q), targets, 0.3, 0)
        least = -(0.76 * np.log(0.76) + 0.24 * np.log(0.06))
        expect_close(loss, least, "loss of a model that gives what is asked for, share 0.3, V=5")
        expect_close(gradient, np.zeros_like(q), "gradient of a model that gives what is asked for")

    def padding_changes_nothing(self, answer, rng):
        logits, targets = _draw_logits(rng)
        padded = np.pad(logits, ((0, 0), (0, 3), (0, 0)), constant_values=7.0), np.pad(targets, ((0, 0), (0, 3)))
        (loss, gradient), (longer_loss, longer) = answer(logits, targets, 0.1, 0), answer(*padded, 0.1, 0)
        expect_close(longer_loss, loss, "loss with three more columns of padding")
        expect_close(longer, np.pad(gradient, ((0, 0), (0, 3), (0, 0))), "gradient with three more columns of padding")

    def large_logits_do_not_overflow(self, answer, rng):
        logits, targets = _draw_logits(rng)
        (loss, gradient), expected = answer(logits + 1000, targets, 0.1, 0), _smoothed(logits, targets, 0.1, 0)
        expect_close(loss, expected[0], "loss with 1000 added to every logit")
        expect_close(gradient, expected[1], "gradient with 1000 added to every logit")
