"""The language model of the course: trained once on this machine, kept, and loaded from then on."""

import hashlib
import inspect
import math
import os
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import cast

import torch
from jaxtyping import Float
from torch import Tensor

import clearformer
from clearformer import tensor_files, training
from clearformer.course import corpora
from clearformer.models import Decoder, GPT2Config, gpt2
from clearformer.nn import Block, FeedForward
from clearformer.tokenizers import BPETokenizer


@dataclass(frozen=True)
class Recipe:
    """All that the trained weights depend on, besides the code and the text."""

    vocab_size: int = 512
    context: int = 128
    d_model: int = 128
    n_heads: int = 4
    n_layers: int = 4
    batch: int = 4
    steps: int = 1000
    peak: float = 5e-3
    warmup: int = 50
    seed: int = 0

    def config(self) -> GPT2Config:
        """The sizes of the model, which has the exact GELU."""
        sizes = (self.vocab_size, self.context, self.d_model, self.n_heads, self.n_layers)
        return GPT2Config(*sizes, d_ff=4 * self.d_model, activation=torch.nn.functional.gelu)


@dataclass(frozen=True)
class LanguageModel:
    """A trained decoder, its sizes, its tokenizer, and the loss at each step of its training, in nats for a token."""

    config: GPT2Config
    model: Decoder
    tokenizer: BPETokenizer
    losses: Float[Tensor, " steps"]


def language_model(
    recipe: Recipe = Recipe(),
    *,
    folder: str | os.PathLike[str] | None = None,
    progress: Callable[[Iterable[int]], Iterable[int]] = iter,
) -> LanguageModel:
    """Load the model that this recipe, this code and this text give; train it first if nobody has.

    Args:
        recipe: Sizes and steps.
        folder: Where it is kept; the folder that the environment variable ``CLEARFORMER_MODELS`` names when left
            out, or else ``~/.cache/clearformer``.
        progress: Wraps the steps of the training, such as ``tqdm``.
    """
    default = os.environ.get("CLEARFORMER_MODELS") or Path.home() / ".cache" / "clearformer"
    train_text, _ = corpora.split(corpora.pydoc_topics())
    tokenizer = BPETokenizer.train(train_text, recipe.vocab_size)
    path = Path(folder or default) / f"language_model-{_key(recipe, train_text)}.safetensors"
    if not path.exists():
        trained = train(recipe, tokenizer, train_text, progress=progress)
        tensor_files.save_tensors(path, {**trained.model.state_dict(), "losses": trained.losses}, {})
    tensors, _ = tensor_files.load_tensors(path)
    losses = tensors.pop("losses")
    model = gpt2(recipe.config())
    model.load_state_dict(tensors)
    return LanguageModel(recipe.config(), model.eval(), tokenizer, losses)


def untrained(recipe: Recipe, *, generator: torch.Generator) -> Decoder:
    """Make the decoder that the training starts from.

    The last matrices of each block are zero, so a block adds what it has learned and no noise: the same loss
    comes earlier.
    """
    model = gpt2(recipe.config(), generator)
    with torch.no_grad():
        for block in cast(Iterable[Block], model.blocks):
            block.attention.w_o.zero_()
            cast(FeedForward, block.feed_forward).w_out.zero_()
    return model


def train(
    recipe: Recipe,
    tokenizer: BPETokenizer,
    text: str,
    *,
    progress: Callable[[Iterable[int]], Iterable[int]] = iter,
) -> LanguageModel:
    """Train a decoder to predict the next token of a text."""
    generator = torch.Generator().manual_seed(recipe.seed)
    ids = torch.tensor(tokenizer.encode(text))  # (n,)
    model = untrained(recipe, generator=generator)
    batches = training.token_windows(ids, batch=recipe.batch, length=recipe.context)
    schedule = training.warmup_cosine(recipe.peak, recipe.warmup, recipe.steps)
    trainer = training.Trainer(model, batches, schedule, generator=generator)
    losses = torch.tensor(list(trainer.run(recipe.steps, progress)))  # (steps,)
    return LanguageModel(recipe.config(), model.eval(), tokenizer, losses)


@torch.no_grad()
def bits_per_byte(trained: LanguageModel, text: str) -> float:
    """Measure the surprise at a text the model has not seen: bits for each byte, whatever the tokens are.

    The text is read in windows of the model's context, so the first tokens of each have little before them.

    Raises:
        ValueError: the text is shorter than a window.
    """
    ids, length = torch.tensor(trained.tokenizer.encode(text)), trained.config.context
    n = (len(ids) - 1) // length
    if n < 1:
        raise ValueError(f"{len(ids)} tokens are too few for a window of {length} and its targets")
    inputs, targets = ids[: n * length].view(n, length), ids[1 : n * length + 1].view(n, length)
    losses = [
        training.cross_entropy(trained.model(x), y) * len(x)
        for x, y in zip(torch.split(inputs, 16), torch.split(targets, 16), strict=True)
    ]
    nats_per_token = torch.stack(losses).sum().item() / n
    tokens_per_byte = n * length / len(trained.tokenizer.decode_bytes(ids[1 : n * length + 1].tolist()))
    return nats_per_token / math.log(2) * tokens_per_byte


def _key(recipe: Recipe, text: str) -> str:
    """A name that changes with the recipe, the text, PyTorch and the code that makes the weights."""
    library = Path(clearformer.__file__).parent
    files = [Path(corpora.__file__), *sorted(f for f in library.rglob("*.py") if "course" not in f.parts)]
    code = [inspect.getsource(maker) for maker in (Recipe, untrained, train)]
    code += [file.read_text(encoding="utf-8") for file in files]
    parts = [repr(asdict(recipe)), text, torch.__version__, *code]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
