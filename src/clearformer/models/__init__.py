"""Whole models, put together from the parts in ``clearformer.nn``."""

from clearformer.models.decoder import CachedDecoder, Decoder, DecoderConfig

__all__ = ["CachedDecoder", "Decoder", "DecoderConfig"]
