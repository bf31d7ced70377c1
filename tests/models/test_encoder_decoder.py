"""Encoders and encoder-decoders: what may be seen of a source, sources read once, and refusals."""

import pytest
import torch

from clearformer import models, nn
from clearformer.models import BertConfig, ClassificationHead, LinearHead, TransformerConfig
from tests.models.small import ENCODER_DECODERS, IDS, SIZES, SOURCE, THERE, gpt, t5, transformer, with_numbers

TARGET_THERE = torch.tensor([[True] * 4 + [False] * 3, [False] * 2 + [True] * 5])
LATER_PADDED = torch.arange(7) < torch.tensor([[4], [6]])


def bert() -> models.Encoder:
    return with_numbers(models.bert(BertConfig(**SIZES)))


def close(got: torch.Tensor, expected: torch.Tensor) -> None:
    torch.testing.assert_close(got, expected, rtol=1e-10, atol=1e-12)


def test_every_token_sees_all_and_none_sees_padding() -> None:
    ours, changed = bert(), IDS.clone()
    changed[:, -1] = 0
    assert ((ours(changed) - ours(IDS)).abs().amax(dim=(0, 2)) > 1e-3).all()
    there = torch.ones(2, 7, dtype=torch.bool)
    there[:, -1] = False
    close(ours(changed, mask=there)[:, :-1], ours(IDS, mask=there)[:, :-1])
    close(ours(IDS, mask=there)[:, :-1], ours(IDS[:, :-1]))


def test_segments_shift_every_token_by_the_vector_of_theirs() -> None:
    ours = bert()
    second = torch.ones_like(IDS)
    moved = ours.embedding.table[IDS] + ours.embedding.position.table[:7] + ours.embedding.segments[1]
    close(ours.embedding(IDS, segments=second), ours.embedding.norm(moved))
    assert (ours(IDS, segments=second) - ours(IDS)).abs().max() > 0.01
    close(ours(IDS, segments=torch.zeros_like(IDS)), ours(IDS))


def test_what_is_read_from_the_states_is_a_part() -> None:
    ours, states = bert(), bert()(IDS)
    ours.head = with_numbers(LinearHead(12, 5, bias=True, generator=None))
    close(ours(IDS), states @ ours.head.w + ours.head.b)
    ours.head = head = with_numbers(ClassificationHead(12, 5, generator=None))
    close(ours(IDS), head.classes(torch.tanh(head.pooler(states[:, 0]))))
    close(ours.states(IDS), states)


@pytest.mark.parametrize("make", ENCODER_DECODERS.values(), ids=ENCODER_DECODERS)
@pytest.mark.parametrize("parts", [[3, 4], [1] * 7])
def test_sources_are_read_once_and_targets_step_by_step(make, parts: list[int]) -> None:
    ours = make()
    sources, caches, steps = ours.encode(SOURCE, THERE), None, []
    for ids in IDS.split(parts, dim=-1):
        states, caches = ours.decoder.states(ids, caches, sources=sources)
        steps.append(ours.decoder.lm_head(states))
    close(torch.cat(steps, dim=1), ours(SOURCE, IDS, mask=THERE))


@pytest.mark.parametrize("make", ENCODER_DECODERS.values(), ids=ENCODER_DECODERS)
def test_padding_of_a_source_counts_nowhere(make) -> None:
    ours = make()
    close(ours(SOURCE, IDS, mask=THERE)[1], ours(SOURCE[1:, :3], IDS[1:])[0])
    close(ours(SOURCE[1, :3], IDS[1]), ours(SOURCE[1:, :3], IDS[1:])[0])
    other = torch.where(THERE, SOURCE, 5)
    close(ours(other, IDS, mask=THERE), ours(SOURCE, IDS, mask=THERE))
    assert (ours(other, IDS) - ours(SOURCE, IDS)).abs().max() > 1e-3


@pytest.mark.parametrize("make", ENCODER_DECODERS.values(), ids=ENCODER_DECODERS)
def test_padding_of_a_target_counts_nowhere_and_scores_nothing(make) -> None:
    ours, first = make(), TARGET_THERE.long().argmax(dim=1)
    logits = ours(SOURCE, IDS, mask=THERE, target_mask=TARGET_THERE)
    close(logits[0, :4], ours(SOURCE[:1], IDS[:1, :4])[0])
    other = ours(SOURCE, torch.where(TARGET_THERE, IDS, 5), mask=THERE, target_mask=TARGET_THERE)
    assert first.tolist() == [0, 2]  # the second row begins with padding
    close(other, logits)
    assert (logits[~TARGET_THERE] == 0).all()
    assert (logits[TARGET_THERE] != 0).all()
    maps = nn.attention_maps(ours, SOURCE, IDS, mask=THERE, target_mask=TARGET_THERE)
    seen = maps["decoder.blocks.0.attention"][1, :, 2:]  # by the tokens of the second row
    assert (seen[..., :2] == 0).all()


@pytest.mark.parametrize("make", ENCODER_DECODERS.values(), ids=ENCODER_DECODERS)
def test_padding_goes_through_no_layer(make) -> None:
    ours, rows = make(), dict[str, list[int]]()
    for stack in (ours.encoder, ours.decoder):
        stack.blocks[0].feed_forward.register_forward_hook(
            lambda _, given, out: rows.setdefault("rows", []).append(len(given[0]))
        )
    ours(SOURCE, IDS, mask=THERE, target_mask=TARGET_THERE)
    assert rows["rows"] == [int(THERE.sum()), int(TARGET_THERE.sum())] == [8, 9]
    assert (ours.encode(SOURCE, THERE).held[0].k[1, :, 3:] == 0).all()  # not even the bias of the keys


@pytest.mark.parametrize("make", ENCODER_DECODERS.values(), ids=ENCODER_DECODERS)
def test_a_loss_without_padding_has_the_gradients_of_one_that_ignores_it(make) -> None:
    targets, later = torch.where(LATER_PADDED, IDS, -1), []
    for options in ({}, {"target_mask": LATER_PADDED}):
        ours = make()
        logits = ours(SOURCE, IDS, mask=THERE, **options)
        torch.nn.functional.cross_entropy(logits.mT, targets, ignore_index=-1).backward()
        later.append([parameter.grad for parameter in ours.parameters()])
    for with_padding, without in zip(*later, strict=True):
        close(without, with_padding)


@pytest.mark.parametrize("make", ENCODER_DECODERS.values(), ids=ENCODER_DECODERS)
def test_attention_maps_show_all_three_kinds(make) -> None:
    maps = nn.attention_maps(make(), SOURCE, IDS, mask=THERE)
    assert {name: tuple(weights.shape) for name, weights in maps.items()} == {
        **{f"encoder.blocks.{n}.attention": (2, 3, 5, 5) for n in range(2)},
        **{f"decoder.blocks.{n}.attention": (2, 3, 7, 7) for n in range(2)},
        **{f"decoder.blocks.{n}.cross": (2, 3, 7, 5) for n in range(2)},
    }
    assert (maps["decoder.blocks.1.cross"][1, :, :, 3:] == 0).all()


def test_one_table_serves_source_target_and_output() -> None:
    ours = transformer()
    assert ours.encoder.embedding is ours.decoder.embedding
    tables = [name for name, _ in ours.named_parameters() if "table" in name]
    assert tables == ["encoder.embedding.table"]
    table = ours.encoder.embedding.table
    close(ours.encoder.embedding(IDS)[0, 0], 12**0.5 * table[3] + torch.tensor([0.0, 1.0] * 6, dtype=torch.float64))


def test_norms_before_the_layers_ask_for_a_last_one() -> None:
    after, before = (
        models.transformer(TransformerConfig(**SIZES), block=block) for block in (nn.PostNormBlock, nn.Block)
    )
    ends = [isinstance(stack.norm, nn.LayerNorm) for m in (after, before) for stack in (m.encoder, m.decoder)]
    assert ends == [False, False, True, True]


@pytest.mark.usefixtures("unchecked")
def test_refusals() -> None:
    ours = t5()
    with pytest.raises(ValueError, match=r"mask \(2, 4\) must have the shape of the ids \(2, 5\)"):
        ours(SOURCE, IDS, mask=THERE[:, :4])
    with pytest.raises(TypeError, match=r"mask must be boolean.*got dtype torch.int64"):
        ours(SOURCE, IDS, mask=THERE.long())
    with pytest.raises(ValueError, match=r"mask \(2, 5\) must have the shape of the ids \(2, 7\)"):
        ours(SOURCE, IDS, target_mask=THERE)
    with pytest.raises(ValueError, match=r"leading axes must agree: queries \(1, 3, 7, 5\), keys \(2, 3, 5, 5\)"):
        ours(SOURCE, IDS[:1], mask=THERE)
    with pytest.raises(ValueError, match="cross-attention needs a source"):
        ours.decoder(IDS)
    with pytest.raises(ValueError, match="2 of 2 blocks have no cross-attention to a source"):
        gpt().sources(torch.zeros(2, 5, 12, dtype=torch.float64))
    with pytest.raises(ValueError, match="segments were given, but the embedding has n_segments=0"):
        ours.encoder(SOURCE, segments=SOURCE)
