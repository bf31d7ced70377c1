"""Encoders and encoder-decoders: what may be seen of a source, sources encoded once, and refusals."""

import pytest
import torch

from clearformer import models, nn
from clearformer.models import BertConfig, ClassificationHead, LinearHead, TransformerConfig
from tests.models.small import ENCODER_DECODERS, IDS, SIZES, SOURCE, THERE, gpt, t5, transformer, with_numbers

each_model = pytest.mark.parametrize("make", ENCODER_DECODERS.values(), ids=ENCODER_DECODERS)


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


def test_heads_compute_from_the_hidden_states() -> None:
    ours, states = bert(), bert()(IDS)
    ours.head = with_numbers(LinearHead(12, 5, bias=True))
    close(ours(IDS), states @ ours.head.w + ours.head.b)
    ours.head = head = with_numbers(ClassificationHead(12, 5))
    close(ours(IDS), head.classes(torch.tanh(head.pooler(states[:, 0]))))
    close(ours.hidden_states(IDS), states)


@each_model
@pytest.mark.parametrize("parts", [[3, 4], [1] * 7])
def test_sources_are_encoded_once_and_targets_predicted_step_by_step(make, parts: list[int]) -> None:
    ours = make()
    memory, caches = ours.encode(SOURCE, THERE), ours.decoder.new_caches()
    steps = [ours.decoder(ids, memory, caches=caches) for ids in IDS.split(parts, dim=-1)]
    close(torch.cat(steps, dim=1), ours(SOURCE, IDS, mask=THERE))


@each_model
def test_padding_of_a_source_counts_nowhere(make) -> None:
    ours = make()
    close(ours(SOURCE, IDS, mask=THERE)[1], ours(SOURCE[1:, :3], IDS[1:])[0])
    close(ours(SOURCE[1, :3], IDS[1]), ours(SOURCE[1:, :3], IDS[1:])[0])
    other = torch.where(THERE, SOURCE, 5)
    close(ours(other, IDS, mask=THERE), ours(SOURCE, IDS, mask=THERE))
    assert (ours(other, IDS) - ours(SOURCE, IDS)).abs().max() > 1e-3


@each_model
def test_padding_on_the_right_of_a_target_changes_nothing_before_it(make) -> None:
    ours, padded = make(), torch.where(torch.arange(7) < torch.tensor([[4], [7]]), IDS, 0)
    logits = ours(SOURCE, padded, mask=THERE)
    close(logits[0, :4], ours(SOURCE[:1], IDS[:1, :4])[0])
    close(logits[1], ours(SOURCE, IDS, mask=THERE)[1])


@each_model
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
    with pytest.raises(ValueError, match=r"mask must be boolean of shape \(2, 5\), got torch.bool \(2, 4\)"):
        ours(SOURCE, IDS, mask=THERE[:, :4])
    with pytest.raises(TypeError, match=r"mask must be boolean of shape \(2, 5\), got torch.int64 \(2, 5\)"):
        ours(SOURCE, IDS, mask=THERE.long())
    with pytest.raises(ValueError, match="cross-attention needs a memory"):
        ours.decoder(IDS)
    with pytest.raises(ValueError, match="block 0 has no cross-attention"):
        gpt().memory(torch.zeros(2, 5, 12, dtype=torch.float64))
    with pytest.raises(ValueError, match="segments were given, but the embedding has n_segments=0"):
        ours.encoder(SOURCE, segments=SOURCE)


def test_t5_with_other_numbers_of_encoder_and_decoder_layers() -> None:
    sizes = {name: size for name, size in SIZES.items() if name != "context"}
    ours = with_numbers(models.t5(models.T5Config(**sizes, d_k=5, n_buckets=8, max_distance=5, n_decoder_layers=3)))
    assert (len(ours.encoder.blocks), len(ours.decoder.blocks)) == (2, 3)
    assert ours(SOURCE, IDS).shape == (2, 7, 23)


def test_every_named_model_has_its_config() -> None:
    config = TransformerConfig(**SIZES)
    model = models.transformer(config)
    assert model.config is model.encoder.config is model.decoder.config is config
    assert bert().config == BertConfig(**SIZES)
