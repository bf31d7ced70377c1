"""A page that holds nothing but a live model, written without building the book, and PyTorch on the same weights."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import torch

from clearformer.course.corpora import pydoc_topics
from clearformer.course.figures import live_model, quantized
from clearformer.course.figures.live_model import live_page_html, weights_script
from clearformer.models import CachedDecoder, Decoder, GPT2Config, gpt2
from clearformer.nn import attention_maps
from clearformer.tokenizers import BPETokenizer

ROOT = Path(__file__).parents[2]
# The sizes of the course's own model; what it has learnt does not matter to the arithmetic.
CONFIG = GPT2Config(512, 128, 128, n_heads=4, n_layers=4, d_ff=512, activation=torch.nn.functional.gelu)
PROMPTS = ("The value of the expression", "for name in names:\n", "Ünïcode … 你好")
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


def random_model() -> tuple[Decoder, BPETokenizer]:
    """A model of the course's sizes that is sure of itself: its weights are larger than at the start of training."""
    model = gpt2(CONFIG, torch.Generator().manual_seed(0))
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            spread = 0.15 if name == "embedding.table" else 0.1
            parameter.add_(spread * torch.randn(parameter.shape, generator=generator))
    return model.eval(), BPETokenizer.train(pydoc_topics(), CONFIG.vocab_size)


def write_page(folder: Path, model: Decoder, tokenizer: BPETokenizer) -> Reference:
    """Write the page, its scripts, its style and its weights; give the model with the weights of the page."""
    state = model.state_dict()
    live = live_model(
        state, tokenizer, n_heads=CONFIG.n_heads, prompts=PROMPTS, description="A model for tests, with random weights."
    )
    shutil.copytree(ROOT / "book" / "_web" / "live_model", folder / "live_model")
    shutil.copy(ROOT / "book" / "_static" / "course.css", folder)
    (folder / "weights.js").write_text(weights_script(live.weights["model"])[0], encoding="utf-8")
    body = live_page_html(live.page, live.weights, name="model", scripts="live_model", file="weights.js")
    (folder / "index.html").write_text(
        '<!DOCTYPE html><html lang="en" data-theme="light"><head><meta charset="utf-8"><title>Live model</title>'
        '<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">'
        f'<link rel="stylesheet" href="course.css"><style>{THEME}</style></head>'
        f"<body><main><h1>A live model</h1>{body}</main></body></html>",
        encoding="utf-8",
    )
    same = gpt2(CONFIG)
    same.load_state_dict({name: torch.from_numpy(array.copy()) for name, array in quantized(state).items()})
    return Reference(same.eval(), tokenizer)
