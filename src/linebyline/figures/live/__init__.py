"""What the models that run in the page share: their weights as bytes, how they show themselves, pieces of HTML."""

from .display import LiveModel
from .packing import packed, quantized, require_names
from .parts import (
    SHARED_SCRIPTS,
    attention_panel,
    bar,
    script_tags,
    slider,
    start_button,
    weights_script,
    weights_table,
    widget,
)

__all__ = [
    "SHARED_SCRIPTS",
    "LiveModel",
    "attention_panel",
    "bar",
    "packed",
    "quantized",
    "require_names",
    "script_tags",
    "slider",
    "start_button",
    "weights_script",
    "weights_table",
    "widget",
]
