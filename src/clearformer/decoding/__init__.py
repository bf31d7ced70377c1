"""Decoding: from logits to tokens. It works on any callable ``next_logits(ids)`` and imports no model.

``ids`` are the tokens so far, int64 (B, T); the logits of the next one are (B, vocab_size). Masked tokens are -inf.
"""

from clearformer.decoding.penalties import frequency_penalty, presence_penalty, repetition_penalty
from clearformer.decoding.processors import Processor, min_p, pipeline, temperature, top_k, top_p
from clearformer.decoding.sampling import drawn, sample
from clearformer.decoding.search import Hypothesis, beam_search, greedy_search, most_likely
from clearformer.decoding.streaming import Choice, NextLogits, stream

__all__ = [
    "Choice",
    "Hypothesis",
    "NextLogits",
    "Processor",
    "beam_search",
    "drawn",
    "frequency_penalty",
    "greedy_search",
    "min_p",
    "most_likely",
    "pipeline",
    "presence_penalty",
    "repetition_penalty",
    "sample",
    "stream",
    "temperature",
    "top_k",
    "top_p",
]
