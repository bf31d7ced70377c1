"""Pages that hold nothing but a live model, written without building the book, and PyTorch on the same weights.

What the models have learned does not matter to the arithmetic, only that they are sure of themselves.
"""

import copy
import random
import shutil
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import torch

from clearformer.decoding.search import Hypothesis, greedy_search
from clearformer.models import CachedDecoder, Decoder, Encoder, EncoderDecoder, GPT2Config
from clearformer.nn import attention_maps
from clearformer.tokenizers import BPETokenizer, WordPieceTokenizer
from linebyline import masked_language_model as mlm
from linebyline import translation
from linebyline.assistant import world
from linebyline.assistant.model import BASE_MODEL
from linebyline.corpora import pydoc_topics
from linebyline.corpora.translations import ENGLISH_SWEDISH, FRENCH_ENGLISH, Grammar
from linebyline.figures import live_assistant, live_fill_in, live_model, live_translator, quantized
from linebyline.figures.live import LiveModel, weights_script
from linebyline.figures.rendering import live_html
from linebyline.pretrained import rotary_decoder

AnyModule = TypeVar("AnyModule", bound=torch.nn.Module)
ROOT = Path(__file__).parents[2]
THEME = """html[data-theme=light] { --pst-color-primary: #0f5cc7; --pst-color-border: #767676; }
html[data-theme=dark] { --pst-color-primary: #9cf; --pst-color-border: #888; background: #14181e; color: #ced6dd; }
body { font: 16px/1.5 sans-serif; margin: 0 auto; padding: 8px; max-width: 44rem; }
* { --pst-font-family-monospace: monospace; box-sizing: border-box; }"""
MODEL = GPT2Config(1024, 128, 128, n_heads=4, n_layers=4, d_ff=512, activation="gelu")  # as large as the course's own
SPACES = " \t\n\r\f\v\x85\xa0\u1680\u2003\u2028\u2029\u3000\ufeff\x1c\x1f\u200b"
PROMPTS = ("The value of the expression\n\nNotes\n-----\n", "for name in names:\n", "Ünïcode … 你好")
ENCODER = mlm.Recipe().config()
KNOWN = 200_000  # characters of the text that the tokenizer of the fill-in has learned from
HIDDEN = {
    "Return the sum of the array elements over a given axis.": ["sum", "elements"],
    "The eigenvalues of a matrix are computed, and their multiplicity is not.": ["eigenvalues", "is"],
    "Compute the mean.": ["mean"],
}
QUESTIONS = ("where does Tina live ?", "what is 4 2 + 2 9 ?")
SENTENCES = {
    ENGLISH_SWEDISH: [
        "Dan loves ice cream.",
        "Tomorrow they will meet our young rich friends, but Erik will wash the red boat.",
        "This boy looks for my letters because he is sad.",
    ],
    FRENCH_ENGLISH: ["Jane visite l'Afrique en septembre.", "Demain j'achèterai de l'eau."],
}


@dataclass(frozen=True)
class LanguageModel:
    """What the page of a live model is compared with."""

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


@dataclass(frozen=True)
class MaskedLanguageModel:
    """What the page of a fill-in is compared with: in float64, which keeps close tokens apart."""

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


@dataclass(frozen=True)
class BaseAndAssistant:
    """What the page of the assistant is compared with: in float64, which keeps close words apart."""

    models: dict[str, Decoder]

    @torch.no_grad()
    def written(self, side: str, ids: list[int], longest: int) -> tuple[list[int], list[float]]:
        """The tokens that a model writes after others, and their probabilities."""
        (tokens,) = greedy_search(CachedDecoder(self.models[side]), [ids], longest, stop_ids=[world.END])
        rows = self.models[side](torch.tensor([ids + tokens]))[0, len(ids) - 1 : -1].softmax(-1)
        return tokens, rows.gather(1, torch.tensor(tokens)[:, None])[:, 0].tolist()


@dataclass(frozen=True)
class Translator:
    """What the page of the translator is compared with: in float64, which keeps close words apart."""

    model: EncoderDecoder
    words: translation.Words

    @torch.no_grad()
    def logits_and_maps(self, ids: list[int], target_ids: list[int]) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        inputs = torch.tensor([ids]), torch.tensor([target_ids])
        maps = attention_maps(self.model, *inputs)
        return self.model(*inputs)[0], {name: weights[0] for name, weights in maps.items()}

    def greedy(self, grammar: Grammar, sentences: list[list[int]]) -> list[list[int]]:
        rows = list(map(torch.tensor, sentences))
        sources = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=translation.PAD)
        return translation.greedy(translation.reader(self.model), sources, self.words.start(grammar))

    def beams(self, grammar: Grammar, ids: list[int]) -> list[Hypothesis]:
        read, start = translation.reader(self.model), self.words.start(grammar)
        return translation.beams(read, torch.tensor(ids), start, n_beams=4)


def random_texts(count: int, *kinds: Sequence[str]) -> list[str]:
    """Texts of all scripts, spaces and some kinds of parts; only characters that an older Unicode already knew."""
    rng = random.Random(0)
    known = [chr(i) for i in range(0x110000) if unicodedata.ucd_3_2_0.category(chr(i)) not in ("Cn", "Cs", "Co")]
    kinds = (known, SPACES, "abcdefghijklmnop", "0123456789²½٣", *kinds)
    return ["".join(rng.choice(rng.choice(kinds)) for _ in range(rng.randrange(60))) for _ in range(count)]


def random_model() -> Decoder:
    """A model whose weights are larger than at the start of training."""
    model = rotary_decoder(MODEL, torch.Generator().manual_seed(0))
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            spread = 0.15 if name == "embedding.table" else 0.1
            parameter.add_(spread * torch.randn(parameter.shape, generator=generator))
    return model


def write_model(
    folder: Path,
    model: Decoder | None = None,
    tokenizer: BPETokenizer | None = None,
    config: GPT2Config = MODEL,
    *,
    folded: bool = False,
) -> LanguageModel:
    """Write the page of a live model, by default of a random one."""
    model = model or random_model()
    tokenizer = tokenizer or BPETokenizer.train(pydoc_topics(), config.vocab_size)
    options = {"n_heads": config.n_heads, "context": config.context, "description": "A model for tests."}
    options |= {"folded": folded}
    write_page(folder, "model", live_model(model.state_dict(), tokenizer, prompts=PROMPTS, **options))
    return LanguageModel(rounded(model), tokenizer)


def write_fill_in(folder: Path) -> MaskedLanguageModel:
    """Write the page of a fill-in."""
    model = mlm.encoder(ENCODER, torch.Generator().manual_seed(0))
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.2 * torch.randn(parameter.shape, generator=generator))
    tokenizer = mlm.tokenizer_of(pydoc_topics()[:KNOWN], ENCODER.vocab_size)
    live = live_fill_in(model.state_dict(), tokenizer, ENCODER, HIDDEN, description="A model for tests.")
    write_page(folder, "fill_in", live)
    return MaskedLanguageModel(rounded(model).double(), tokenizer)


def write_assistant(folder: Path) -> BaseAndAssistant:
    """Write the page of the course's own base model, beside one whose weights are a little different."""
    base, recipe = BASE_MODEL.load().model, BASE_MODEL.recipe
    other, generator = copy.deepcopy(base), torch.Generator().manual_seed(1)
    with torch.no_grad():
        for parameter in other.parameters():
            parameter.add_(0.05 * torch.randn(parameter.shape, generator=generator))
    options = {"n_heads": recipe.n_heads, "context": recipe.context, "description": "Two models for tests."}
    states = base.state_dict(), other.state_dict()
    write_page(folder, "assistant", live_assistant(*states, world.WORDS, QUESTIONS, **options))
    return BaseAndAssistant({"base": rounded(base).double(), "assistant": rounded(other).double()})


def write_translator(folder: Path) -> Translator:
    """Write the page of the course's own translator."""
    kept = translation.translator()
    recipe = kept.record.recipe
    options = {"n_heads": recipe.n_heads, "context": recipe.context, "description": "A translator for tests."}
    write_page(folder, "translator", live_translator(kept.model.state_dict(), kept.words, SENTENCES, **options))
    return Translator(rounded(kept.model).double(), kept.words)


def write_page(folder: Path, kind: str, live: LiveModel) -> None:
    """Write the page of a kind of live model, its scripts and those that all share, its style and its weights."""
    for name in ("live", f"live_{kind}"):
        shutil.copytree(ROOT / "book" / "_web" / name, folder / name)
    (folder / "weights.js").write_text(weights_script(live.weights["model"])[0], encoding="utf-8")
    body = live_html(live.mime_type, live.page, live.weights, name=kind, root="", file="weights.js")
    write_html(folder, f"<h1>A live model</h1>{body}")


def write_html(folder: Path, body: str, script: str = "") -> None:
    """Write a page in the style of the book."""
    shutil.copy(ROOT / "book" / "_static" / "course.css", folder)
    (folder / "index.html").write_text(
        '<!DOCTYPE html><html lang="en" data-theme="light"><head><meta charset="utf-8"><title>A page</title>'
        '<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">'
        f'<link rel="stylesheet" href="course.css"><style>{THEME}</style>{script}</head>'
        f"<body><main>{body}</main></body></html>",
        encoding="utf-8",
    )


def rounded(model: AnyModule) -> AnyModule:
    """The same model with the weights that a page computes with."""
    same = copy.deepcopy(model)
    weights = quantized(model.state_dict())
    same.load_state_dict({name: torch.from_numpy(array.copy()) for name, array in weights.items()})
    return same.eval()
