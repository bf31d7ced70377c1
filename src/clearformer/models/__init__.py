"""Whole models, built from the parts in ``clearformer.nn``.

A model is an ``Encoder``, a ``Decoder`` or an ``EncoderDecoder``: an embedding, blocks and a head. Each named model is
one file with its config and the function that builds it: ``gpt2``, ``llama``, ``bert``, ``roberta``, ``t5`` and
``transformer``. Initial weights come from ``generator``, or from PyTorch's default generator. A config refuses a size
that is not positive, and an activation it does not know, with a ``ValueError``. ``CachedDecoder`` predicts the next
token with a key-value cache.
"""

from clearformer.models.bert import BertConfig, bert
from clearformer.models.decoder import CachedDecoder, Decoder, Memory
from clearformer.models.encoder import Encoder
from clearformer.models.encoder_decoder import EncoderDecoder
from clearformer.models.gpt2 import GPT2Config, gpt2
from clearformer.models.heads import ClassificationHead, LinearHead, MaskedLMHead
from clearformer.models.llama import LlamaConfig, RotaryScaling, llama
from clearformer.models.roberta import RobertaConfig, roberta
from clearformer.models.t5 import T5Config, t5
from clearformer.models.transformer import TransformerConfig, transformer
from clearformer.nn import TiedLMHead

__all__ = [
    "BertConfig",
    "CachedDecoder",
    "ClassificationHead",
    "Decoder",
    "Encoder",
    "EncoderDecoder",
    "GPT2Config",
    "LinearHead",
    "LlamaConfig",
    "MaskedLMHead",
    "Memory",
    "RobertaConfig",
    "RotaryScaling",
    "T5Config",
    "TiedLMHead",
    "TransformerConfig",
    "bert",
    "gpt2",
    "llama",
    "roberta",
    "t5",
    "transformer",
]
