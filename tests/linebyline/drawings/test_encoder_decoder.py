"""The encoder and the decoder have the parts of the model, and each chapter lights its own."""

import pytest
import torch

from clearformer.models.transformer import TransformerConfig, transformer
from linebyline.drawings import encoder_decoder
from linebyline.drawings.encoder_decoder import BOXES


def test_each_side_has_the_layers_and_norms_of_the_model():
    with torch.device("meta"):
        model = transformer(TransformerConfig())
    for side, stack in (("encoder", model.encoder), ("decoder", model.decoder)):
        names = {name for name, _ in stack.blocks[0].named_children()}
        norms = sum(name.startswith("norm") for name in names)
        drawn = [name for name, where, *_ in BOXES if where == side]
        assert drawn.count("norm") == norms == len(names) / 2
        assert ("cross-attention" in drawn) == ("cross" in names)


def test_parts_and_sides_are_lit_by_name():
    assert encoder_decoder("cross-attention").svg().count(' lit" href') == 1
    assert encoder_decoder("norm").svg().count(' lit" href') == 5
    assert encoder_decoder(["encoder"]).svg().count(' lit" href') == 6
    with pytest.raises(ValueError, match="no part \\['engine'\\]"):
        encoder_decoder("engine")
