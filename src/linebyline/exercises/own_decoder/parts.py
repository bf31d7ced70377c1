"""The exercises on the parts of a decoder, up to its logits. Answers are functions of their weights."""

import numpy as np
import torch
from torch.nn import functional as nnF

from linebyline.exercises.core import Chapter, expect_close
from linebyline.exercises.own_decoder import wrongly
from linebyline.growing.given import Given, start
from linebyline.our_model import Heads, gpt, rotate

chapter = Chapter("own_decoder", torch=torch)

N_HEADS, D, V = 2, 8, 11
LONG = 70  # tokens: more than the windows that the decoder is trained on


def plain(tensor):
    """What an answer returned, as an array, whether gradients go through it or not."""
    return tensor.detach().numpy() if isinstance(tensor, torch.Tensor) else tensor


def expect_near(got, expected, what):
    """Numbers are of 32 bits here, and a sum in another order rounds otherwise."""
    expect_close(plain(got), plain(expected), what, rtol=1e-4, atol=1e-5)


def draw(rng, *shape):
    return torch.tensor(rng.normal(size=shape), dtype=torch.float32)


def weights(rng, n_layers=2):
    """Draw a decoder in which no gain is 1 and no bias 0."""
    w = start(V, D, n_layers, seed=int(rng.integers(2**31)))
    return {name: tensor + 0.3 * draw(rng, *tensor.shape) for name, tensor in w.items()}


def changed_at(x, t, rng):
    """Return the same vectors or ids, others from position t on."""
    other = x.clone()
    other[:, t:] = draw(rng, *x[:, t:].shape) if x.is_floating_point() else (x[:, t:] + 1) % V
    return other


def expect_blind(answer, x, rng, what):
    before, after = (plain(answer(array))[:, :3] for array in (x, changed_at(x, 3, rng)))
    expect_close(after, before, f"{what}, others from position 3 on: what comes before", rtol=1e-4, atol=1e-5)


@chapter.predict(
    "Count before you build · easy · 2 points · 10 minutes · may use pen and paper",
    ("parameters of a block", "parameters of the decoder"),
    within=1e-4,
    right=(49_728, 231_680),
    wrong={
        "The blocks are right. But the way back to the vocabulary has a matrix of its own, and the last norm counts.": (
            49_728,
            164_992,
        ),
        "Each norm has a gain and a shift for each feature, and the feed-forward layer has biases.": (49_152, 229_376),
        "A block has four matrices of attention: queries, keys, values and w_o.": (45_632, 223_488),
        "The heads share out the columns of one matrix; each of them does not have a whole one.": (86_592, 305_408),
    },
)
def size(rng):
    model = gpt(1024, 64, 4, 2)
    numbers = [sum(p.numel() for p in part.parameters()) for part in model]
    return numbers[1] + numbers[2], sum(numbers)


@chapter.write(
    "A causal head · easy · 2 points · 15 minutes · may use PyTorch",
    right=lambda x, w_q, w_k, w_v: nnF.scaled_dot_product_attention(x @ w_q, x @ w_k, x @ w_v, is_causal=True),
    wrong={
        "sees the future": lambda *args: wrongly.head(*args, mask=None),
        "does not see itself": lambda *args: wrongly.head(*args, mask=-1),
        "sees one token ahead": lambda *args: wrongly.head(*args, mask=1),
        "masks after the softmax": lambda *args: wrongly.head(*args, late=True),
        "does not divide": lambda *args: wrongly.head(*args, width=1),
        "always divides by 2": lambda *args: wrongly.head(*args, width=4),
        "divides by the root of the model's width": lambda x, *ws: wrongly.head(x, *ws, width=x.shape[-1]),
        "sees ten tokens at most": lambda *args: wrongly.head(*args, reach=10),
        "sees itself and one token before": lambda *args: wrongly.head(*args, reach=2),
        "forgets w_v where it may": lambda x, w_q, w_k, w_v: wrongly.head(
            x, w_q, w_k, torch.eye(len(w_v)) if w_v.shape[0] == w_v.shape[1] else w_v
        ),
        "makes columns sum to one": lambda *args: wrongly.head(*args, axis=-2),
        "exchanges queries and keys": lambda x, w_q, w_k, w_v: wrongly.head(x, w_k, w_q, w_v),
        "mixes the texts of a batch": lambda x, *ws: wrongly.head(x.mean(0, keepdim=True).expand_as(x), *ws),
    },
)
class head:
    def a_case_worked_by_hand(self, answer, rng):
        x, flat = torch.tensor([[[2.0, 10.0], [4.0, 30.0]]]), torch.zeros(2, 1)
        got = answer(x, flat, flat, torch.eye(2))
        expect_near(got, [[[2, 10], [3, 20]]], "queries and keys of zeros: the mean of what may be seen")

    def equal_to_the_definition(self, answer, rng):
        for d_k in (4, 6, 9):
            case = draw(rng, 3, 5, 6), *draw(rng, 3, 6, d_k)
            expect_near(answer(*case), wrongly.head(*case), f"3 texts of 5 tokens, width 6, a head of width {d_k}")

    def blind_to_the_future(self, answer, rng):
        matrices = draw(rng, 3, 6, 4)
        expect_blind(lambda x: answer(x, *matrices), draw(rng, 2, 7, 6), rng, "2 texts of 7 tokens")

    def each_text_by_itself__at_any_length(self, answer, rng):
        matrices = draw(rng, 3, 6, 4)
        for n, T in ((1, 1), (4, 2), (2, 9), (2, LONG)):
            x = draw(rng, n, T, 6)
            expect_near(
                answer(x, *matrices)[-1:], wrongly.head(x[-1:], *matrices), f"the last of {n} texts of length {T}"
            )


def _by_modules(x, w_q, w_k, w_v, w_o, n_heads):
    named = {"w_o.weight": w_o.mT}
    for name, w in (("w_q", w_q), ("w_k", w_k), ("w_v", w_v)):
        named |= {f"heads.{h}.{name}.weight": part for h, part in enumerate(w.mT.chunk(n_heads))}
    return torch.func.functional_call(Heads(x.shape[-1], n_heads, rotate), named, (x,))


@chapter.write(
    "Several heads that know where they are · medium · 4 points · 25 minutes · may use PyTorch and `rotate`",
    right=_by_modules,
    wrong={
        "has no positions": lambda *args: wrongly.heads(*args, turned=""),
        "turns the queries alone": lambda *args: wrongly.heads(*args, turned="q"),
        "turns the values too": lambda *args: wrongly.heads(*args, turned="qkv"),
        "turns before it splits": lambda *args: wrongly.heads(*args, turned="", early=True),
        "has one wide head": lambda x, q, k, v, o, n_heads: wrongly.heads(x, q, k, v, o, 1),
        "cuts by rows": lambda *args: wrongly.heads(*args, by_columns=False),
        "does not bring the heads back": lambda *args: wrongly.heads(*args, joined=False),
        "forgets w_o": lambda x, w_q, w_k, w_v, w_o, n: wrongly.heads(x, w_q, w_k, w_v, torch.eye(len(w_o)), n),
        "sees the future": lambda *args: wrongly.heads(*args, mask=None),
        "divides by the width of all heads": lambda x, *args: wrongly.heads(x, *args, width=x.shape[-1]),
        "always divides by 2": lambda *args: wrongly.heads(*args, width=4),
        "sees ten tokens at most": lambda *args: wrongly.heads(*args, reach=10),
    },
)
class heads:
    def _case(self, rng, T=6):
        return draw(rng, 3, T, D), *draw(rng, 4, D, D) / 2

    def the_first_token_has_itself_alone(self, answer, rng):
        x, w_q, w_k, w_v, w_o = self._case(rng, T=1)
        expect_near(answer(x, w_q, w_k, w_v, w_o, 2), x @ w_v @ w_o, "texts of one token")

    def without_queries_it_is_the_mean_of_the_past(self, answer, rng):
        x, w_q, w_k, w_v, w_o = self._case(rng)
        mean = x.cumsum(1) / torch.arange(1, 7)[:, None]
        expect_near(answer(x, 0 * w_q, w_k, w_v, w_o, 2), mean @ w_v @ w_o, "queries of zeros, whatever the positions")

    def equal_to_our_model(self, answer, rng):
        for n_heads, T in ((1, 6), (2, 6), (4, 6), (4, LONG)):
            case = *self._case(rng, T), n_heads
            expect_near(answer(*case), _by_modules(*case), f"{n_heads} heads of width {D // n_heads}, {T} tokens")

    def the_order_of_the_past_matters(self, answer, rng):
        x, *matrices = self._case(rng, T=3)
        swapped, last = x[:, [1, 0, 2]], [plain(answer(x, *matrices, 2))[:, -1]]
        last.append(plain(answer(swapped, *matrices, 2))[:, -1])
        far = float(np.abs(last[0] - last[1]).max())
        assert far > 1e-3, (
            f"the first two of three tokens exchanged: expected another last row, got {far:.0e} of change"
        )

    def blind_to_the_future(self, answer, rng):
        x, *matrices = self._case(rng)
        expect_blind(lambda x: answer(x, *matrices, 2), x, rng, "3 texts of 6 tokens")


def _alone(x, w, n_heads):
    """Pass vectors through the first block of a model that has no other."""
    d = x.shape[-1]
    ends = {"embedding": torch.zeros(1, d), "gain": x[0, 0], "shift": x[0, 0], "w_out": x.new_zeros(d, 1)}
    return Given({name: w[name][None] for name in wrongly.BLOCK} | ends | {"b_out": torch.zeros(1)}, n_heads).block(x)


@chapter.write(
    "The block · medium · 3 points · 20 minutes · may use PyTorch and your heads",
    right=_alone,
    wrong={
        "has no residual connection": lambda *args: wrongly.block(*args, residual=(0, 0)),
        "lets the second part replace the stream": lambda *args: wrongly.block(*args, residual=(1, 0)),
        "normalizes after the sum": lambda *args: wrongly.block(*args, pre=False),
        "has no nonlinearity": lambda *args: wrongly.block(*args, activation=lambda x: x),
        "has another nonlinearity": lambda *args: wrongly.block(*args, activation=torch.tanh),
        "uses the first norm twice": lambda x, w, n: wrongly.block(
            x, w | {k: w[k[:-1] + "1"] for k in ("gain_2", "shift_2")}, n
        ),
        "forgets the bias": lambda x, w, n: wrongly.block(x, w | {"b_1": 0 * w["b_1"]}, n),
        "sees the future": lambda *args: wrongly.block(*args, mask=None),
        "always has two heads": lambda x, w, n: wrongly.block(x, w, 2),
        "sees ten tokens at most": lambda *args: wrongly.block(*args, reach=10),
    },
)
class block:
    def with_nothing_to_add_it_passes_the_stream_on(self, answer, rng):
        x, w = draw(rng, 2, 5, D), wrongly.one(weights(rng))
        got = answer(x, w | {name: 0 * w[name] for name in ("w_o", "w_2", "b_2")}, N_HEADS)
        expect_near(got, x, "w_o, w_2 and b_2 of zeros")

    def a_longer_stream_gets_no_more(self, answer, rng):
        x, w = draw(rng, 2, 5, D), wrongly.one(weights(rng))
        w["w_2"], w["b_2"] = 0 * w["w_2"], 0 * w["b_2"]
        added = [plain(answer(c * x, w, N_HEADS)) - plain(c * x) for c in (1, 8)]
        expect_close(added[1], added[0], "what attention adds to 8 x, against x", rtol=1e-3, atol=1e-3)

    def equal_to_our_model(self, answer, rng):
        for n_heads, T in ((2, 5), (1, 5), (4, LONG)):
            x, w = draw(rng, 2, T, D), wrongly.one(weights(rng))
            expect_near(answer(x, w, n_heads), wrongly.block(x, w, n_heads), f"2 texts of {T} tokens, heads: {n_heads}")

    def blind_to_the_future(self, answer, rng):
        w = wrongly.one(weights(rng))
        expect_blind(lambda x: answer(x, w, N_HEADS), draw(rng, 2, 6, D), rng, "2 texts of 6 tokens")


@chapter.write(
    "The whole decoder · medium · 3 points · 20 minutes · may use PyTorch and your block",
    right=lambda ids, w, n_heads: Given(w, n_heads)(ids),
    wrong={
        "has one block only": lambda *args: wrongly.decoder(*args, layers=lambda n: [0]),
        "uses the first block again": lambda *args: wrongly.decoder(*args, layers=lambda n: [0] * n),
        "passes the blocks backwards": lambda *args: wrongly.decoder(*args, layers=lambda n: range(n)[::-1]),
        "forgets the last norm": lambda *args: wrongly.decoder(*args, last=False),
        "ties the head to the embedding": lambda *args: wrongly.decoder(*args, head=lambda w: w["embedding"].mT),
        "returns probabilities": lambda *args: wrongly.decoder(*args).softmax(-1),
        "keeps the last position only": lambda *args: wrongly.decoder(*args)[:, -1],
        "sees the future": lambda *args: wrongly.decoder(*args, mask=None),
        "always has two heads": lambda ids, w, n: wrongly.decoder(ids, w, 2),
        "sees ten tokens at most": lambda *args: wrongly.decoder(*args, reach=10),
    },
)
class decoder:
    def without_blocks_it_is_a_bigram(self, answer, rng):
        w, ids = weights(rng), torch.tensor([[3, 1, 3]])
        still = w | {name: 0 * w[name] for name in ("w_o", "w_2", "b_2")}
        expected = wrongly.norm(w["embedding"], w["gain"], w["shift"]) @ w["w_out"] + w["b_out"]
        expect_near(answer(ids, still, N_HEADS), expected[ids], "blocks that add nothing: norm and head of the table")

    def logits_for_every_position(self, answer, rng):
        for shape in ((1, 1), (3, 4), (2, 9)):
            ids = torch.tensor(rng.integers(V, size=shape))
            got = np.shape(plain(answer(ids, weights(rng), N_HEADS)))
            assert got == (*shape, V), f"ids of shape {shape}: expected shape {(*shape, V)}, got {got}"

    def equal_to_our_model(self, answer, rng):
        for n_layers, n_heads, T in ((1, 2, 6), (2, 2, 6), (3, 1, 6), (2, 4, LONG)):
            w, ids = weights(rng, n_layers), torch.tensor(rng.integers(V, size=(2, T)))
            what = f"2 texts of {T} tokens, blocks: {n_layers}, heads: {n_heads}"
            expect_near(answer(ids, w, n_heads), Given(w, n_heads)(ids), what)

    def blind_to_the_future(self, answer, rng):
        w, ids = weights(rng), torch.tensor(rng.integers(V, size=(2, 7)))
        expect_blind(lambda ids: answer(ids, w, N_HEADS), ids, rng, "2 texts of 7 tokens")
