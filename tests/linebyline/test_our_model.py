"""Our model: sixty lines that need PyTorch alone, and parts that do what the chapters say."""

import ast
import math
from pathlib import Path

import numpy as np
import pytest
import torch

from clearformer import functional
from linebyline import corpora, growing, our_model
from linebyline.growing.record import ALL

FILE = Path(our_model.__file__)
SEEING = ("no mask", "no mask with positions")  # controls that see the future
VOCAB_SIZE = 11


def ids(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randint(VOCAB_SIZE, shape, generator=torch.Generator().manual_seed(seed))


def numbers(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


# --- the file ---


def test_the_file_has_sixty_lines_that_fit_a_page_and_needs_torch_alone() -> None:
    lines = FILE.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 60
    assert max(map(len, lines)) <= 79
    modules = set[str | None]()
    for node in ast.walk(ast.parse("\n".join(lines))):
        modules |= {alias.name for alias in node.names} if isinstance(node, ast.Import) else set()
        modules |= {node.module} if isinstance(node, ast.ImportFrom) else set()
    assert modules == {"torch"}


@pytest.mark.parametrize("path", [FILE, FILE.parent / "growing" / "stages.py"])
def test_a_page_can_show_each_part_in_fifteen_lines_without_docstring(path: Path) -> None:
    nodes = [node for node in ast.parse(path.read_text(encoding="utf-8")).body if hasattr(node, "body")]
    shown = [node for node in nodes if node.name not in ("Stage", "build")]
    assert len(shown) > 5
    for node in shown:
        assert node.end_lineno - node.lineno < 15, node.name
        assert ast.get_docstring(node) is None, node.name


# --- the stages ---


@pytest.mark.parametrize("name", [name for name in ALL if name not in SEEING])
def test_what_comes_later_changes_no_earlier_logits(name: str) -> None:
    """Nor do more tokens at the end; and the token itself does change its logits."""
    model, before = growing.build(name, VOCAB_SIZE), ids(2, 7)
    after = before.clone()
    after[:, 4] = (before[:, 4] + 1) % VOCAB_SIZE
    with torch.no_grad():
        first, second, short = model(before), model(after), model(before[:, :4])
    torch.testing.assert_close(first[:, :4], second[:, :4])
    torch.testing.assert_close(first[:, :4], short)
    assert (first[:, 4] - second[:, 4]).abs().amax() > 1e-3
    assert first.shape == (2, 7, VOCAB_SIZE)


@pytest.mark.parametrize("name", SEEING)
def test_without_its_mask_a_head_sees_what_comes_later(name: str) -> None:
    model, before = growing.build(name, VOCAB_SIZE), ids(2, 7)
    after = before.clone()
    after[:, 4] = (before[:, 4] + 1) % VOCAB_SIZE
    with torch.no_grad():
        assert (model(before) - model(after))[:, :4].abs().amax(-1).min() > 1e-4


def test_bigrams_and_embeddings_see_the_last_token_alone() -> None:
    """The mean and a head see which tokens came before, but not their order; positions show it."""
    last = torch.tensor([[1, 2, 3, 5], [2, 1, 3, 5], [7, 2, 3, 5]])
    for name in growing.STAGES:
        with torch.no_grad():
            logits = growing.build(name, VOCAB_SIZE)(last)[:, -1]
        swapped, other = ((logits[0] - logits[row]).abs().max().item() for row in (1, 2))
        blind = name in ("characters", "tokens", "embeddings")
        unordered = blind or name in ("mean of the past", "one head")
        assert (other < 1e-5) == blind, name
        assert (swapped < 1e-5) == unordered, name


def test_the_seed_decides_the_weights_and_leaves_other_draws_alone() -> None:
    torch.manual_seed(3)
    expected = torch.rand(5)
    torch.manual_seed(3)
    first, again, other = (growing.build("two blocks", VOCAB_SIZE, seed).state_dict() for seed in (0, 0, 1))
    assert torch.equal(torch.rand(5), expected)
    assert all(torch.equal(first[key], again[key]) for key in first)
    assert not torch.equal(first["0.weight"], other["0.weight"])


def test_a_page_that_writes_a_stage_out_has_the_same_weights() -> None:
    torch.manual_seed(0)
    written = torch.nn.Sequential(
        torch.nn.Embedding(VOCAB_SIZE, 64),
        our_model.Residual(our_model.Head(64, 64)),
        torch.nn.Linear(64, VOCAB_SIZE),
    )
    built = growing.build("one head", VOCAB_SIZE)
    assert torch.equal(written(ids(2, 7)), built(ids(2, 7)))


# --- the parts ---


def test_the_mean_of_the_past_is_a_head_whose_queries_are_zero() -> None:
    mean, head = growing.MeanOfPast(6), our_model.Head(6, 6)
    torch.nn.init.zeros_(head.w_q.weight)
    head.w_v.load_state_dict(mean.w_v.state_dict())
    torch.testing.assert_close(mean(numbers(2, 5, 6)), head(numbers(2, 5, 6)))


def test_the_mean_of_the_past_worked_by_hand() -> None:
    mean = growing.MeanOfPast(2)
    torch.nn.init.eye_(mean.w_v.weight)
    x = torch.tensor([[3.0, 0.0], [1.0, 2.0], [2.0, 7.0]])
    torch.testing.assert_close(mean(x), torch.tensor([[3.0, 0.0], [2.0, 1.0], [2.0, 3.0]]))


@pytest.mark.parametrize("rotate", [lambda x: x, our_model.rotate])
def test_a_head_is_scaled_dot_product_attention(rotate) -> None:
    head, x = our_model.Head(5, 6, rotate).double(), numbers(3, 7, 5).double()
    with torch.no_grad():
        q, k, v = (x @ matrix.weight.T for matrix in (head.w_q, head.w_k, head.w_v))
        found = head(x)
    mask = functional.causal_mask(7)
    expected, _ = functional.scaled_dot_product_attention(*(np.asarray(t) for t in (rotate(q), rotate(k), v)), mask)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)


def test_one_head_of_several_is_a_head_times_w_o() -> None:
    heads, x = our_model.Heads(6, 1, our_model.rotate), numbers(2, 5, 6)
    torch.testing.assert_close(heads(x), heads.w_o(heads.heads[0](x)))


def test_several_heads_are_added_up_through_their_rows_of_w_o() -> None:
    heads, x = our_model.Heads(6, 3), numbers(2, 5, 6)
    rows = heads.w_o.weight.T.split(2)  # (d_k, d_model) each
    expected = sum(head(x) @ block for head, block in zip(heads.heads, rows, strict=True))
    torch.testing.assert_close(heads(x), expected)


def test_a_rotation_is_that_of_the_library_and_keeps_lengths() -> None:
    x = numbers(2, 5, 6)
    expected = functional.rotary_encoding(x.double().numpy(), np.arange(5), layout="interleaved")
    np.testing.assert_allclose(our_model.rotate(x), expected, atol=1e-5)
    torch.testing.assert_close(our_model.rotate(x).norm(dim=-1), x.norm(dim=-1))


def test_scores_of_rotated_vectors_depend_on_their_distance_alone() -> None:
    q, k = numbers(6, seed=1).expand(9, 6), numbers(6, seed=2).expand(9, 6)
    scores = our_model.rotate(q) @ our_model.rotate(k).T  # (9, 9)
    for distance in range(-8, 9):
        diagonal = scores.diagonal(distance)
        torch.testing.assert_close(diagonal, diagonal[:1].expand_as(diagonal), atol=1e-5, rtol=1e-4)
    assert scores[:, 0].std() > 0.1


def test_a_part_is_put_beside_its_input_and_norms_come_before_it() -> None:
    norm, part, x = torch.nn.LayerNorm(6), our_model.FeedForward(6), numbers(2, 5, 6)
    torch.testing.assert_close(our_model.Residual(norm, part)(x), x + part(norm(x)))


# --- training ---


def test_the_first_stage_reads_characters_and_all_others_share_tokens() -> None:
    first, others = growing.text("characters"), {id(growing.text(name)) for name in list(ALL)[1:]}
    assert others == {id(growing.text())}
    for text in (first, growing.text()):
        beginning = text.tokenizer.decode(text.read[:50].tolist())
        assert corpora.docstrings_split()[0].startswith(beginning)
    assert (first.vocab_size, growing.text().vocab_size) == (145, 1024)


def test_training_learns_a_text_that_repeats_and_measures_it() -> None:
    """Of four tokens in a circle nothing is left to guess; before training a guess costs about two bits or more."""
    circle = torch.arange(4).repeat(50)

    class Letters:
        def decode(self, ids: list[int]) -> str:
            return "".join("abcd"[id_] for id_ in ids)

        def encode(self, text: str) -> list[int]:
            return ["\nabcd".index(character) % 4 for character in text]

    text, model = growing.Text(Letters(), circle, circle), growing.build("embeddings", 4)
    assert growing.bits_per_byte(model, text) > 1
    losses = list(growing.train(model, circle, 60, 1e-1, batch=2))
    assert len(losses) == 60
    assert growing.bits_per_byte(model, text) < 0.05
    assert growing.sample(model, text, 8) == "bcdabcda"


def test_a_blind_guess_costs_the_logarithm_of_the_vocabulary() -> None:
    model, text = growing.build("tokens", 1024), growing.text()
    torch.nn.init.zeros_(model.weight)
    windows = text.unseen.unfold(0, growing.WINDOW + 1, growing.WINDOW)[:, 1:]
    n_bytes = len(text.tokenizer.decode_bytes(windows.flatten().tolist()))
    assert growing.bits_per_byte(model, text) == pytest.approx(math.log2(1024) * windows.numel() / n_bytes)


def test_causal_models_cost_in_use_what_they_cost_window_by_window() -> None:
    text = growing.text()
    some = text._replace(unseen=text.unseen[: 5 * growing.WINDOW + 1])
    causal, seeing = growing.build("two blocks", 1024), growing.build("no mask", 1024)
    assert growing.bits_in_use(causal, some, 1) == pytest.approx(growing.bits_per_byte(causal, some), rel=1e-5)
    assert growing.bits_in_use(seeing, some, 1) != pytest.approx(growing.bits_per_byte(seeing, some), rel=1e-5)
