"""A translator that runs in the page: its weights and words as the page takes them, and its HTML."""

from .page import live_translator_html
from .translator import MIME_TYPE, live_translator

__all__ = ["MIME_TYPE", "live_translator", "live_translator_html"]
