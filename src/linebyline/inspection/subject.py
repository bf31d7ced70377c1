"""The subject of an inspection: a model of any kind, a text, and the model's prediction of each of its tokens."""

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
    """A model and the tokens that it predicts.

    A decoder predicts each token from those before it. An encoder predicts it from all others, with the token itself
    masked. An encoder-decoder predicts it from a source and from the tokens before it.

    Raises:
        ValueError: there are no tokens, or an encoder-decoder has no source, or another model has one.

    Example:
        >>> from clearformer.models import GPT2Config, gpt2
        >>> from clearformer.tokenizers import CharacterTokenizer
        >>> model = gpt2(GPT2Config(11, 16, 8, 2, 3, 32), torch.Generator().manual_seed(0))
        >>> tokenizer = CharacterTokenizer.train("abcdefghij")
        >>> subject = Subject(model, tokenizer, torch.tensor(tokenizer.encode("cafe")))
        >>> subject.strings(subject.ids), subject.log_probabilities().shape, len(subject.attention())
        (['c', 'a', 'f', 'e'], torch.Size([4, 11]), 3)
    """

    model: Model
    tokenizer: Tokenizer
    ids: Int[Tensor, " T"]
    source: Int[Tensor, " S"] | None = None  #: What the encoder of an encoder-decoder reads

    def __post_init__(self) -> None:
        if not len(self.ids):
            raise ValueError("the text has no tokens, and at least 1 is needed")
        if (self.source is not None) != isinstance(self.model, EncoderDecoder):
            raise ValueError("an encoder-decoder needs a source, and no other model takes one")

    @property
    def kind(self) -> str:
        """The name of the model's class, which is ``Decoder``, ``Encoder`` or ``EncoderDecoder``."""
        return type(self.model).__name__

    @property
    def stack(self) -> Decoder | Encoder:
        """The stack that predicts tokens, which is the decoder of an encoder-decoder, or else the model."""
        return self.model.decoder if isinstance(self.model, EncoderDecoder) else self.model

    @property
    def table(self) -> Float[Tensor, "vocab_size d_model"]:
        """The embedding table."""
        return next(part.table for part in self.model.modules() if isinstance(part, Embedding)).detach()

    @property
    def shift(self) -> int:
        """By how much a target is ahead, 0 for an encoder and 1 for the others; row t predicts token ``t + shift``."""
        return 0 if isinstance(self.model, Encoder) else 1

    @property
    def target_positions(self) -> Int[Tensor, " n"]:
        """The positions that training predicts, which are all but the first, or an encoder's ordinary tokens."""
        if not isinstance(self.model, Encoder):
            return torch.arange(1, len(self.ids))
        special = torch.tensor(list(self.tokenizer.special_tokens.values()))
        return (~torch.isin(self.ids, special)).nonzero()[:, 0]

    @property
    def unsupported(self) -> str:
        """Why the model cannot predict tokens; empty if it can."""
        head = self.stack.head if isinstance(self.stack, Encoder) else self.stack.lm_head
        scores_tokens = isinstance(head, TiedLMHead | MaskedLMHead)
        if not scores_tokens and not (isinstance(head, LinearHead) and head.w.shape[1] == len(self.table)):
            return f"its {type(head).__name__} scores no tokens"
        if isinstance(self.model, Encoder) and self._mask is None:
            return "its tokenizer has no token that hides another"
        return ""

    @property
    def _mask(self) -> int | None:
        special = self.tokenizer.special_tokens
        return next((special[name] for name in MASKS if name in special), None)

    def strings(self, ids: Int[Tensor, " n"]) -> list[str]:
        """Decode each token by itself: a space becomes ␣, a line break ⏎, and a token without text its id in <>."""
        return [self.tokenizer.decode([i]).replace(" ", "␣").replace("\n", "⏎") or f"<{i}>" for i in ids.tolist()]

    @torch.inference_mode()
    def log_probabilities(self) -> Float[Tensor, "T vocab_size"]:
        """Return the log-probability of every token of the vocabulary at each position.

        Row t predicts token t for an encoder, and token t + 1 for the other models, whose last row predicts the token
        after the text.

        Raises:
            ValueError: the model predicts no tokens, or the text is longer than the model's positions.
        """
        if self.unsupported:
            raise ValueError(f"this {self.kind} predicts no tokens: {self.unsupported}")
        if isinstance(self.model, Encoder):
            T = len(self.ids)
            hidden = self.ids.repeat(T, 1).fill_diagonal_(cast(int, self._mask))  # (T, T)
            logits = self.model(hidden)[torch.arange(T), torch.arange(T)]  # (T, vocab_size)
        else:
            logits = self.model(*self._inputs())[0]
        log_p: Tensor = logits.float().log_softmax(dim=-1)
        return log_p

    @torch.inference_mode()
    def attention(self) -> dict[str, Float[Tensor, "n_heads T S"]]:
        """Return the attention weights of every head on this text, by the names of the layers."""
        return {name: weights[0] for name, weights in attention_maps(self.model, *self._inputs()).items()}

    def with_model(self, model: Model) -> "Subject":
        """Return the same tokens with another model."""
        return replace(self, model=model)

    def _inputs(self) -> tuple[Tensor, ...]:
        return (self.ids[None],) if self.source is None else (self.source[None], self.ids[None])


def max_positions(model: nn.Module) -> int | None:
    """Return the longest text that a model has positions for, in tokens; None if no table limits it."""
    lengths = [len(part.table) for part in model.modules() if isinstance(part, LearnedEncoding)]
    lengths += [len(part.cos) for part in model.modules() if isinstance(part, RotaryEncoding)]
    return min(lengths, default=None)


def load(path: str | os.PathLike[str], text: str, *, n: int = 24) -> Subject:
    """Load a folder or a GGUF file in float32, with a text; the tokens of an encoder-decoder are its greedy output.

    At most ``n`` tokens of the text are read, and at most ``n`` generated. ``clearformer.load`` takes the same paths.

    Raises:
        FileNotFoundError: as ``clearformer.load`` does.
        ValueError: as ``clearformer.load`` does; or the text has no tokens.

    Example:
        >>> import tempfile
        >>> from linebyline import published
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = published.write("T5", folder)
        ...     subject = load(folder, "translate English to Swedish : Dan sleeps .")
        >>> subject.strings(subject.ids)
        ['<start>', 'Dan', 'sover', '.', '<end>']
    """
    checkpoint = open_checkpoint(path)
    tokenizer, settings = checkpoint.tokenizer(), checkpoint.generation()
    model = load_model(checkpoint, dtype=torch.float32).eval()
    ids = torch.tensor(_cut(tokenizer.encode(text, add_special=True), min(n, max_positions(model) or n), tokenizer))
    if not isinstance(model, EncoderDecoder):
        return Subject(model, tokenizer, ids)
    start = settings.get("decoder_start_token_id", settings.get("pad_token_id", 0))
    with torch.inference_mode():
        next_logits = CachedDecoder(model.decoder, model.encode(ids[None]))
    ends = settings.get("eos_token_id")
    stop_ids = {end for end in (ends if isinstance(ends, list) else [ends]) if end is not None}
    (generated,) = greedy_search(next_logits, torch.tensor([[start]]), n - 1, stop_ids=stop_ids)
    return Subject(model, tokenizer, torch.tensor([start, *generated]), source=ids)


def _cut(ids: list[int], n: int, tokenizer: Tokenizer) -> list[int]:
    """Return the first ``n`` tokens; a special token at the end, such as [SEP], stays the last one."""
    last = [i for i in ids[-1:] if i in tokenizer.special_tokens.values()]
    return ids if len(ids) <= n else [*ids[: n - len(last)], *last]
