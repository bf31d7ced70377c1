"""A language model that runs in the page: its weights and tokenizer as the page takes them, and its HTML."""

from .model import MIME_TYPE, LiveModel, live_model, quantized
from .page import live_page_html, weights_script

__all__ = ["MIME_TYPE", "LiveModel", "live_model", "live_page_html", "quantized", "weights_script"]
