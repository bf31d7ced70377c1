"""Whole models beside those that people trust, on the same weights: one file for each."""

from clearformer.course.parity.peers.bert import bert_pair
from clearformer.course.parity.peers.bloom import bloom_pair
from clearformer.course.parity.peers.gpt2 import gpt2_pair
from clearformer.course.parity.peers.llama import llama_pair
from clearformer.course.parity.peers.marian import marian_pair
from clearformer.course.parity.peers.pair import Pair, in_float64
from clearformer.course.parity.peers.t5 import t5_pair
from clearformer.course.parity.peers.transformer import transformer_pair

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
