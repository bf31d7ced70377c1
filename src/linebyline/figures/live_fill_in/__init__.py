"""Words to hide and a model that guesses them: its weights and pieces as the page takes them, and its HTML."""

from .model import MIME_TYPE, live_fill_in
from .page import live_fill_in_html

__all__ = ["MIME_TYPE", "live_fill_in", "live_fill_in_html"]
