"""A Transformer clear enough to read: the package behind the course *Transformers, Line by Line*.

Every array is written ``(..., T, d)``: positions before features, any number of leading axes.
One letter or name means one thing in the book, the code and the tests:

=============  =====================================================================
name           meaning
=============  =====================================================================
``B``          sequences in a batch
``T``          query positions, counted from 0
``S``          key positions (and value positions: every key has one value)
``d_model``    features of a token between the parts of the model
``n_heads``    heads of the queries
``n_kv_heads`` heads of the keys and values
``d_k``        features of a query and of a key, in one head
``d_v``        features of a value, in one head
``d_ff``       features inside the feed-forward network
``n_layers``   blocks stacked on one another
``vocab_size`` tokens in the vocabulary
=============  =====================================================================

A mask is boolean and True where a position **may** attend.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clearformer.checkpoints import load

__all__ = ["__version__", "load"]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Import ``load`` when it is asked for: who needs the equations alone does not wait for models."""
    if name == "load":
        from clearformer.checkpoints import load

        return load
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
