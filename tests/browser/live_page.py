"""Pages that hold nothing but a live model, written without building the book, and PyTorch on the same weights."""

import copy
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import torch

from clearformer.models import CachedDecoder, Decoder
from clearformer.nn import attention_maps
from clearformer.tokenizers import BPETokenizer
from linebyline.figures import live_model, quantized
from linebyline.figures.live import weights_script
from linebyline.figures.rendering import live_html

AnyModule = TypeVar("AnyModule", bound=torch.nn.Module)
ROOT = Path(__file__).parents[2]
PROMPTS = ("The value of the expression\n\nNotes\n-----\n", "for name in names:\n", "Ünïcode … 你好")
THEME = """html[data-theme=light] { --pst-color-primary: #0f5cc7; --pst-color-border: #767676; }
html[data-theme=dark] { --pst-color-primary: #9cf; --pst-color-border: #888; background: #14181e; color: #ced6dd; }
body { font: 16px/1.5 sans-serif; margin: 0 auto; padding: 8px; max-width: 44rem; }
* { --pst-font-family-monospace: monospace; box-sizing: border-box; }"""


@dataclass(frozen=True)
class Reference:
    """What the page is compared with."""

    model: Decoder
    tokenizer: BPETokenizer

    @torch.no_grad()
    def logits(self, ids: list[int]) -> torch.Tensor:
        return self.model(torch.tensor([ids]))[0]

    @torch.no_grad()
    def maps(self, ids: list[int]) -> torch.Tensor:
        return torch.stack(list(attention_maps(self.model, torch.tensor(ids)).values()))

    def greedy(self, ids: list[int], count: int) -> list[int]:
        next_logits, ids = CachedDecoder(self.model), list(ids)
        for _ in range(count):
            ids.append(int(next_logits(torch.tensor([ids])).argmax()))
        return ids[-count:]


def write_page(folder: Path, model: Decoder, tokenizer: BPETokenizer, *, n_heads: int, context: int) -> Reference:
    """Write the page, its scripts, its style and its weights; give the model with the weights of the page."""
    state = model.state_dict()
    description = "A model for tests: what it has learnt does not matter."
    live = live_model(state, tokenizer, n_heads=n_heads, context=context, prompts=PROMPTS, description=description)
    body = live_html(live.mime_type, live.page, live.weights, name="model", root="", file="weights.js")
    write_files(folder, "live_model", body, live.weights["model"])
    return Reference(rounded(model), tokenizer)


def write_files(folder: Path, scripts: str, body: str, model: Mapping[str, Any]) -> None:
    """Write a page with a body, the style, the weights, and the scripts of a folder with those that all share."""
    for name in ("live", scripts):
        shutil.copytree(ROOT / "book" / "_web" / name, folder / name)
    shutil.copy(ROOT / "book" / "_static" / "course.css", folder)
    (folder / "weights.js").write_text(weights_script(model)[0], encoding="utf-8")
    (folder / "index.html").write_text(
        '<!DOCTYPE html><html lang="en" data-theme="light"><head><meta charset="utf-8"><title>Live model</title>'
        '<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">'
        f'<link rel="stylesheet" href="course.css"><style>{THEME}</style></head>'
        f"<body><main><h1>A live model</h1>{body}</main></body></html>",
        encoding="utf-8",
    )


def rounded(model: AnyModule) -> AnyModule:
    """The same model with the weights that a page computes with."""
    same = copy.deepcopy(model)
    weights = quantized(model.state_dict())
    same.load_state_dict({name: torch.from_numpy(array.copy()) for name, array in weights.items()})
    return same.eval()
