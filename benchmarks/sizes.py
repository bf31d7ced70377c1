"""The sizes of the models that are timed."""

from clearformer.models import DecoderConfig

COURSE = DecoderConfig(vocab_size=512, context=256, d_model=128, n_heads=4, n_layers=4, d_ff=512)
GPT2_SMALL = DecoderConfig(vocab_size=50257, context=1024, d_model=768, n_heads=12, n_layers=12, d_ff=3072)
