"""Whole models beside those that people trust, on the same weights: one file for each."""

from linebyline.parity.peers.bert import bert_pair
from linebyline.parity.peers.bloom import bloom_pair
from linebyline.parity.peers.gpt2 import gpt2_pair
from linebyline.parity.peers.llama import llama_pair
from linebyline.parity.peers.marian import marian_pair
from linebyline.parity.peers.pair import Pair, in_float64
from linebyline.parity.peers.t5 import t5_pair
from linebyline.parity.peers.transformer import transformer_pair

__all__ = [
    "Pair",
    "bert_pair",
    "bloom_pair",
    "gpt2_pair",
    "in_float64",
    "llama_pair",
    "marian_pair",
    "t5_pair",
    "transformer_pair",
]
