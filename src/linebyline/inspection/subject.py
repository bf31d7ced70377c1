"""What is looked at: a model of any kind, a text that it reads, and its guess for each token of it."""

import os
from dataclasses import dataclass, replace
from typing import cast

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from clearformer.checkpoints import load_model, open_checkpoint
from clearformer.decoding import greedy_search
from clearformer.models import CachedDecoder, Decoder, Encoder, EncoderDecoder, LinearHead, MaskedLMHead, TiedLMHead
from clearformer.nn import Embedding, LearnedEncoding, RotaryEncoding, attention_maps
from clearformer.tokenizers import Tokenizer

Model = Decoder | Encoder | EncoderDecoder
MASKS = ("[MASK]", "<mask>")


@dataclass(frozen=True)
class Subject:
    """A model, and the tokens whose guesses are looked at.

    A decoder guesses each token from those before it. An encoder guesses it from all others, the token itself hidden.
    An encoder-decoder guesses it from a source, and from those before it.

    Raises:
        ValueError: there are no tokens, or an encoder-decoder has no source, or another model has one.

    Example:
        >>> from clearformer.models import GPT2Config, gpt2
        >>> from clearformer.tokenizers import CharacterTokenizer
        >>> model = gpt2(GPT2Config(11, 16, 8, 2, 3, 32), torch.Generator().manual_seed(0))
        >>> tokenizer = CharacterTokenizer.train("abcdefghij")
        >>> subject = Subject(model, tokenizer, torch.tensor(tokenizer.encode("cafe")))
        >>> subject.spelt(subject.ids), subject.guesses().shape, len(subject.attention())
        (['c', 'a', 'f', 'e'], torch.Size([4, 11]), 3)
    """

    model: Model
    tokenizer: Tokenizer
    ids: Int[Tensor, " T"]
    source: Int[Tensor, " S"] | None = None  #: What an encoder-decoder writes them from

    def __post_init__(self) -> None:
        if not len(self.ids):
            raise ValueError("the text has no tokens, and at least 1 is needed")
        if (self.source is not None) != isinstance(self.model, EncoderDecoder):
            raise ValueError("an encoder-decoder needs a source, and no other model takes one")

    @property
    def kind(self) -> str:
        """The name of the stack."""
        return type(self.model).__name__

    @property
    def stack(self) -> Decoder | Encoder:
        """The stack that guesses."""
        return self.model.decoder if isinstance(self.model, EncoderDecoder) else self.model

    @property
    def table(self) -> Float[Tensor, "vocab_size d_model"]:
        """The table of embeddings."""
        return next(part.table for part in self.model.modules() if isinstance(part, Embedding)).detach()

    @property
    def ahead(self) -> int:
        """How far behind its row the token of a guess is, 1 where the model writes, and else 0."""
        return 0 if isinstance(self.model, Encoder) else 1

    @property
    def asked(self) -> Int[Tensor, " n"]:
        """Where tokens stand that training asked for (after the first, or for an encoder, what is not special)."""
        if not isinstance(self.model, Encoder):
            return torch.arange(1, len(self.ids))
        special = torch.tensor(list(self.tokenizer.special_tokens.values()))
        return (~torch.isin(self.ids, special)).nonzero()[:, 0]

    @property
    def silent(self) -> str:
        """Why the model guesses no tokens; empty if it does."""
        head = self.stack.head if isinstance(self.stack, Encoder) else self.stack.lm_head
        guesses = isinstance(head, TiedLMHead | MaskedLMHead)
        if not guesses and not (isinstance(head, LinearHead) and head.w.shape[1] == len(self.table)):
            return f"its {type(head).__name__} scores no tokens"
        if isinstance(self.model, Encoder) and self._mask is None:
            return "its tokenizer has no token that hides another"
        return ""

    @property
    def _mask(self) -> int | None:
        special = self.tokenizer.special_tokens
        return next((special[name] for name in MASKS if name in special), None)

    def spelt(self, ids: Int[Tensor, " n"]) -> list[str]:
        """Write each token by itself: a space is ␣, a line break ⏎, and one without a spelling shows its number."""
        return [self.tokenizer.decode([i]).replace(" ", "␣").replace("\n", "⏎") or f"<{i}>" for i in ids.tolist()]

    @torch.inference_mode()
    def guesses(self) -> Float[Tensor, "T vocab_size"]:
        """Return the logarithm of the probability of every token, in each row for one place.

        Row t is the guess of token t of an encoder, and of token t + 1 of the others: their last row goes beyond the
        text.

        Raises:
            ValueError: the model guesses no tokens, or the positions run out.
        """
        if self.silent:
            raise ValueError(f"this {self.kind} guesses nothing: {self.silent}")
        if isinstance(self.model, Encoder):
            T = len(self.ids)
            hidden = self.ids.repeat(T, 1).fill_diagonal_(cast(int, self._mask))  # (T, T)
            logits = self.model(hidden)[torch.arange(T), torch.arange(T)]  # (T, vocab_size)
        else:
            logits = self.model(*self._inputs())[0]
        guesses: Tensor = logits.float().log_softmax(dim=-1)
        return guesses

    @torch.inference_mode()
    def attention(self) -> dict[str, Float[Tensor, "n_heads T S"]]:
        """Return the weights of every head while the text is read, by the names of the layers."""
        return {name: weights[0] for name, weights in attention_maps(self.model, *self._inputs()).items()}

    def of(self, model: Model) -> "Subject":
        """Let another model guess the same."""
        return replace(self, model=model)

    def _inputs(self) -> tuple[Tensor, ...]:
        return (self.ids[None],) if self.source is None else (self.source[None], self.ids[None])


def positions(model: nn.Module) -> int | None:
    """Return the number of tokens that a model has places for; None where no table ends."""
    lengths = [len(part.table) for part in model.modules() if isinstance(part, LearnedEncoding)]
    lengths += [len(part.cos) for part in model.modules() if isinstance(part, RotaryEncoding)]
    return min(lengths, default=None)


def read(path: str | os.PathLike[str], text: str, *, n: int = 24) -> Subject:
    """Load a folder or a GGUF file in float32, and let the model read a text; an encoder-decoder writes from it.

    At most ``n`` tokens of the text are read, and at most ``n`` written. The path is what ``clearformer.load`` takes.

    Raises:
        FileNotFoundError: as ``clearformer.load`` does.
        ValueError: as ``clearformer.load`` does; or the text has no tokens.

    Example:
        >>> import tempfile
        >>> from linebyline import published
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = published.write("T5", folder)
        ...     subject = read(folder, "translate English to Swedish : Dan sleeps .")
        >>> subject.spelt(subject.ids)
        ['<start>', 'Dan', 'sover', '.', '<end>']
    """
    checkpoint = open_checkpoint(path)
    tokenizer, settings = checkpoint.tokenizer(), checkpoint.generation()
    model = load_model(checkpoint, dtype=torch.float32).eval()
    ids = torch.tensor(_cut(tokenizer.encode(text, add_special=True), min(n, positions(model) or n), tokenizer))
    if not isinstance(model, EncoderDecoder):
        return Subject(model, tokenizer, ids)
    start = settings.get("decoder_start_token_id", settings.get("pad_token_id", 0))
    with torch.inference_mode():
        next_logits = CachedDecoder(model.decoder, model.encode(ids[None]))
    ends = settings.get("eos_token_id")
    stop_ids = {end for end in (ends if isinstance(ends, list) else [ends]) if end is not None}
    (written,) = greedy_search(next_logits, torch.tensor([[start]]), n - 1, stop_ids=stop_ids)
    return Subject(model, tokenizer, torch.tensor([start, *written]), source=ids)


def _cut(ids: list[int], n: int, tokenizer: Tokenizer) -> list[int]:
    """Keep the first tokens, and the special one that ends a frame."""
    last = [i for i in ids[-1:] if i in tokenizer.special_tokens.values()]
    return ids if len(ids) <= n else [*ids[: n - len(last)], *last]
