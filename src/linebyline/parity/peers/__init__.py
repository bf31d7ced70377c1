"""Our models beside those that people trust, on the same weights."""

from linebyline.parity.peers.published import bert_pair, bloom_pair, gpt2_pair, llama_pair, t5_pair
from linebyline.parity.peers.transformer import marian_pair, transformer_pair
from linebyline.parity.peers.weights import Pair, in_float64, same_weights

__all__ = [
    "Pair",
    "bert_pair",
    "bloom_pair",
    "gpt2_pair",
    "in_float64",
    "llama_pair",
    "marian_pair",
    "same_weights",
    "t5_pair",
    "transformer_pair",
]
