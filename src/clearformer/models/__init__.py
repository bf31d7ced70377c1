"""Whole models, put together from the parts in ``clearformer.nn``."""

from clearformer.models.cached import CachedDecoder
from clearformer.models.decoder import Decoder, DecoderConfig

__all__ = ["CachedDecoder", "Decoder", "DecoderConfig"]
