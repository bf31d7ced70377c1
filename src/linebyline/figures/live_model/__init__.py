"""A language model that runs in the page: its weights and tokenizer as the page takes them, and its HTML."""

from .model import MIME_TYPE, live_model
from .page import live_page_html

__all__ = ["MIME_TYPE", "live_model", "live_page_html"]
