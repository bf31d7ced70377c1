"""A page that holds nothing but the live translator, and PyTorch on the weights as they were rounded for the page."""

from dataclasses import dataclass
from pathlib import Path

import torch

from clearformer.decoding.search import Hypothesis
from clearformer.models import EncoderDecoder
from clearformer.nn import attention_maps
from linebyline import translation
from linebyline.corpora.translations import ENGLISH_SWEDISH, FRENCH_ENGLISH, Grammar
from linebyline.figures import live_translator
from linebyline.figures.rendering import live_html
from tests.browser.live_controls import opened
from tests.browser.live_page import rounded, write_files

EXAMPLES = {
    ENGLISH_SWEDISH: [
        "Dan loves ice cream.",
        "Tomorrow they will meet our young rich friends, but Erik will wash the red boat.",
        "This boy looks for my letters because he is sad.",
    ],
    FRENCH_ENGLISH: ["Jane visite l'Afrique en septembre.", "Demain j'achèterai de l'eau."],
}


@dataclass(frozen=True)
class Reference:
    """What the page is compared with, in float64, where no two words come as close as float32 would confuse."""

    model: EncoderDecoder
    words: translation.Words

    @torch.no_grad()
    def logits_and_maps(self, ids: list[int], target_ids: list[int]) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        inputs = torch.tensor([ids]), torch.tensor([target_ids])
        maps = attention_maps(self.model, *inputs)
        return self.model(*inputs)[0], {name: weights[0] for name, weights in maps.items()}

    def greedy(self, grammar: Grammar, sentences: list[list[int]]) -> list[list[int]]:
        sources = torch.nn.utils.rnn.pad_sequence(
            list(map(torch.tensor, sentences)), batch_first=True, padding_value=translation.PAD
        )
        return translation.greedy(translation.reader(self.model), sources, self.words.start(grammar))

    def beams(self, grammar: Grammar, ids: list[int]) -> list[Hypothesis]:
        read, start = translation.reader(self.model), self.words.start(grammar)
        return translation.beams(read, torch.tensor(ids), start, n_beams=4)


def write_translator(folder: Path) -> Reference:
    """Write the page, its scripts, its style and its weights; give the translator with the weights of the page."""
    kept = translation.translator()
    recipe = kept.record.recipe
    live = live_translator(
        kept.model.state_dict(),
        kept.words,
        EXAMPLES,
        n_heads=recipe.n_heads,
        context=recipe.context,
        description="The translator of the course.",
    )
    body = live_html(live.mime_type, live.page, live.weights, name="translator", root="", file="weights.js")
    write_files(folder, "live_translator", body, live.weights["model"])
    return Reference(rounded(kept.model).double(), kept.words)


def started(visit, url, **options):
    """Visit a page and start its translator."""
    return opened(visit, url, "live-translator", **options)


def translate(page, text):
    """Type a sentence, and let it be translated."""
    page.fill(".lm-text", text)
    page.press(".lm-text", "Enter")
