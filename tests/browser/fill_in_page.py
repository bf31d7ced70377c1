"""A page that holds nothing but a live fill-in, and PyTorch on the weights as they were rounded for the page."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from clearformer.models import Encoder
from clearformer.nn import attention_maps
from clearformer.tokenizers import WordPieceTokenizer
from linebyline import masked_language_model as mlm
from linebyline.corpora import pydoc_topics
from linebyline.figures import live_fill_in
from linebyline.figures.rendering import live_html
from tests.browser.evaluate import evaluate
from tests.browser.live_controls import opened
from tests.browser.live_page import rounded, write_files

CONFIG = mlm.Recipe().config()  # the sizes of the course's own model; what it has learnt does not matter
KNOWN = 200_000  # characters of the text that the tokenizer has learnt from
EXAMPLES = {
    "Return the sum of the array elements over a given axis.": ["sum", "elements"],
    "The eigenvalues of a matrix are computed, and their multiplicity is not.": ["eigenvalues", "is"],
    "Compute the mean.": ["mean"],
}


@dataclass(frozen=True)
class Reference:
    """What the page is compared with, in float64, where no two tokens come as close as float32 would confuse."""

    model: Encoder
    tokenizer: WordPieceTokenizer

    @torch.no_grad()
    def logits(self, ids: Sequence[int]) -> torch.Tensor:
        return self.model(torch.tensor(ids))

    @torch.no_grad()
    def maps(self, ids: Sequence[int]) -> torch.Tensor:
        return torch.stack(list(attention_maps(self.model, torch.tensor(ids)).values()))

    def ids(self, text: str) -> list[int]:
        return mlm.sequence(self.tokenizer, text, context=10**6)[0].tolist()


def random_model() -> tuple[Encoder, WordPieceTokenizer]:
    """A model that is sure of itself: its weights are larger than at the start of training."""
    model = mlm.encoder(CONFIG, torch.Generator().manual_seed(0))
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.2 * torch.randn(parameter.shape, generator=generator))
    return model.eval(), mlm.tokenizer_of(pydoc_topics()[:KNOWN], CONFIG.vocab_size)


def write_fill_in(folder: Path) -> Reference:
    """Write the page, its scripts, its style and its weights; give the model with the weights of the page."""
    model, tokenizer = random_model()
    live = live_fill_in(model.state_dict(), tokenizer, CONFIG, EXAMPLES, description="A model for tests.")
    body = live_html(live.mime_type, live.page, live.weights, name="fill-in", root="", file="weights.js")
    write_files(folder, "live_fill_in", body, live.weights["model"])
    return Reference(rounded(model).double(), tokenizer)


def started(visit, url, **options):
    """Visit a page and start its fill-in."""
    return opened(visit, url, "live-fill-in", **options)


def read(page, text):
    """Type a sentence, and let it be read."""
    page.fill(".lm-text", text)
    page.press(".lm-text", "Enter")


def session(page, code, arg=None):
    """What some code about the session `s` returns."""
    return evaluate(
        page, f"arg => {{ const s = document.querySelector('.live-fill-in').liveModel.session; {code} }}", arg
    )


def pressed(page):
    """The words that are hidden."""
    return page.locator(".lm-words [aria-pressed=true]").all_text_contents()
