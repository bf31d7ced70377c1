"""A language model that runs in the page: its weights and tokenizer as the page takes them, and its HTML."""

from .model import MIME_TYPE, live_model
from .page import live_model_html

__all__ = ["MIME_TYPE", "live_model", "live_model_html"]
