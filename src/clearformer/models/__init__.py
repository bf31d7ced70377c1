"""Whole models, put together from the parts in ``clearformer.nn``.

A model is one of three stacks, ``Encoder``, ``Decoder`` or ``EncoderDecoder``, made of an embedding, blocks and a
read-out. Where the parts of a named model meet is its function: ``gpt2``, ``llama``, ``bert``, ``roberta``, ``t5``
and ``transformer``, one file each, from a config to a stack in some thirty lines. Another
model is another such function. ``CachedDecoder`` lets a decoder write.
"""

from clearformer.models.bert import BertConfig, bert
from clearformer.models.cached import CachedDecoder
from clearformer.models.decoder import Decoder, Sources
from clearformer.models.encoder import Encoder
from clearformer.models.encoder_decoder import EncoderDecoder
from clearformer.models.gpt2 import GPT2Config, gpt2
from clearformer.models.heads import ClassificationHead, LinearHead, MaskedLMHead, TiedLMHead
from clearformer.models.llama import LlamaConfig, RotaryScaling, llama
from clearformer.models.quantized import quantize
from clearformer.models.roberta import RobertaConfig, roberta
from clearformer.models.t5 import T5Config, t5
from clearformer.models.transformer import TransformerConfig, transformer

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
    "RobertaConfig",
    "RotaryScaling",
    "Sources",
    "T5Config",
    "TiedLMHead",
    "TransformerConfig",
    "bert",
    "gpt2",
    "llama",
    "quantize",
    "roberta",
    "t5",
    "transformer",
]
