"""A Transformer clear enough to read: the package behind the course *Transformers, Line by Line*.

Every array is written ``(..., T, d)``: positions before features, any number of leading axes.
Each name means the same in the book, the code and the tests:

=============  =====================================================================
name           meaning
=============  =====================================================================
``B``          number of sequences in a batch
``T``          number of query positions, counted from 0
``S``          number of key (and value) positions
``d_model``    features of a token between the layers of the model
``n_heads``    number of query heads
``n_kv_heads`` number of key and value heads
``d_k``        features of a query and of a key in one head
``d_v``        features of a value in one head
``d_ff``       hidden features of the feed-forward network
``n_layers``   number of blocks
``vocab_size`` number of tokens in the vocabulary
=============  =====================================================================

A mask is boolean and True where a position **may** attend.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clearformer.checkpoints import load
    from clearformer.generation import generate

__all__ = ["__version__", "generate", "load"]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Import what needs PyTorch only when it is used: the equations need NumPy alone."""
    if name == "load":
        from clearformer.checkpoints import load

        return load
    if name == "generate":
        from clearformer.generation import generate

        return generate
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
