"""Our models beside those that people trust, on the same weights."""

from linebyline.parity.peers.published import bert_pair, bloom_pair, gpt2_pair, llama_pair, t5_pair
from linebyline.parity.peers.transformer import marian_pair, transformer_pair
from linebyline.parity.peers.weights import Pair, in_float64, same_weights
