"""Windows of a text: the targets follow the inputs, and every window may come."""

import pytest
import torch

from clearformer.training import token_windows


def test_windows_come_from_everywhere() -> None:
    generator = torch.Generator().manual_seed(0)
    inputs, targets = token_windows(torch.arange(10), batch=500, length=4)(generator)
    assert torch.equal(inputs + 1, targets)
    assert sorted(set(inputs[:, 0].tolist())) == list(range(6))  # the last window ends with the last token
    with pytest.raises(ValueError, match="windows of length=10 need more than 10 tokens, got 10"):
        token_windows(torch.arange(10), batch=1, length=10)
