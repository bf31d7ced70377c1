"""Decoding: from logits to tokens. It works with any callable ``next_logits(ids)`` and imports no model.

``ids`` are the tokens so far, int64 (B, T); logits of the next one are (B, vocab_size), -inf where masked.
"""

from clearformer.decoding.penalties import frequency_penalty, presence_penalty, repetition_penalty
from clearformer.decoding.processors import Processor, min_p, pipeline, temperature, top_k, top_p
from clearformer.decoding.sampling import sample, sampler
from clearformer.decoding.search import Hypothesis, argmax, beam_search, greedy_search
from clearformer.decoding.streaming import NextLogits, Sampler, stream

__all__ = [
    "Hypothesis",
    "NextLogits",
    "Processor",
    "Sampler",
    "argmax",
    "beam_search",
    "frequency_penalty",
    "greedy_search",
    "min_p",
    "pipeline",
    "presence_penalty",
    "repetition_penalty",
    "sample",
    "sampler",
    "stream",
    "temperature",
    "top_k",
    "top_p",
]
