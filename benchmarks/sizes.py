"""The sizes of the models that are timed."""

from clearformer.models import BertConfig, GPT2Config, T5Config, TransformerConfig
from linebyline.text_to_text import Recipe, vocabulary

COURSE = GPT2Config(vocab_size=512, context=256, d_model=128, n_heads=4, n_layers=4, d_ff=512)
GPT2_SMALL = GPT2Config()
BERT_BASE = BertConfig()
T5_SMALL = T5Config()
TEXT_TO_TEXT = Recipe().config(len(vocabulary()))
TRANSLATOR = TransformerConfig(vocab_size=4000, context=64, d_model=256, n_heads=4, n_layers=3, d_ff=1024)
