"""What the Transformer replaced: recurrent networks that translate, through one vector or with attention."""

from typing import NamedTuple, TypeVar

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from clearformer.decoding.streaming import NextLogits
from clearformer.models import LinearHead, TiedLMHead
from clearformer.nn import Embedding

Module = TypeVar("Module", bound=nn.Module)


class RecurrentSources(NamedTuple):
    """What is known of sources once they are read."""

    start: Float[Tensor, "B d_model"]  #: The state in which the decoder starts
    summary: Float[Tensor, "B d_states"]  #: The last states of the two directions side by side
    states: Float[Tensor, "B S d_states"]  #: The states at each position; 0 at padding
    keys: Float[Tensor, "B S d"]  #: What queries are compared with (without attention, the states)
    mask: Bool[Tensor, "B S"]  #: False at padding, (B, S)


class RecurrentTranslator(nn.Module):
    r"""Read a source into one vector, and write a target from it, token by token.

    .. math::

        H = \operatorname{GRU}_{\rightleftarrows}(E_{ids}), \quad
        \mathbf c = [\overrightarrow{\mathbf h}_S, \overleftarrow{\mathbf h}_1], \quad
        \mathbf s_0 = \tanh(\mathbf c W_s + \mathbf b_s), \quad
        \mathbf s_t = \operatorname{GRU}([\mathbf e_{y_t}, \mathbf c],\ \mathbf s_{t-1}), \quad
        \text{logits}_t = \tanh([\mathbf s_t, \mathbf c] W_o + \mathbf b_o)\,E^\top

    A GRU reads the source in both directions, here and in ``AttentiveTranslator``: so the two differ in attention
    alone. Each step of the decoder is given the vector anew. One table serves source, target and output.

    Source: Cho et al. (2014), section 2.2, with a source read both ways as in Bahdanau et al. (2015).

    Example:
        >>> model = RecurrentTranslator(11, 8, generator=torch.Generator().manual_seed(0))
        >>> model(torch.tensor([[3, 1, 4]]), torch.tensor([[0, 5]])).shape
        torch.Size([1, 2, 11])
    """

    def __init__(self, vocab_size: int, d_model: int, *, generator: torch.Generator) -> None:
        super().__init__()
        self.embedding = Embedding(vocab_size, d_model, generator=generator)
        with torch.device("meta"):  # their own start would come from PyTorch's default generator
            reader = nn.GRU(d_model, d_model, batch_first=True, bidirectional=True)
            writer = nn.GRUCell(3 * d_model, d_model)
        self.reader, self.writer = _uniform(reader, d_model, generator), _uniform(writer, d_model, generator)
        self.start = LinearHead(2 * d_model, d_model, bias=True, generator=generator)
        self.mix = LinearHead(3 * d_model, d_model, bias=True, generator=generator)
        self.lm_head = TiedLMHead(self.embedding)

    def encode(self, ids: Int[Tensor, "B S"], mask: Bool[Tensor, "B S"] | None = None) -> RecurrentSources:
        """Read sources once, to write from them step by step; padding, where ``mask`` is False, is at the end."""
        mask = torch.ones_like(ids, dtype=torch.bool) if mask is None else mask
        lengths = mask.sum(dim=-1).cpu()  # (B,)
        x = pack_padded_sequence(self.embedding(ids), lengths, batch_first=True, enforce_sorted=False)
        packed, last = self.reader(x)
        states, _ = pad_packed_sequence(packed, batch_first=True, total_length=ids.shape[-1])  # (B, S, 2 d_model)
        summary = torch.cat([*last], dim=-1)  # (B, 2 d_model)
        return RecurrentSources(self.start(summary).tanh(), summary, states, self.keys(states), mask)

    def keys(self, states: Float[Tensor, "B S d_states"]) -> Float[Tensor, "B S d"]:
        """Return what the decoder compares its states with."""
        return states

    def context(self, state: Float[Tensor, "B d_model"], sources: RecurrentSources) -> Float[Tensor, "B d_states"]:
        """Return what the decoder sees of the sources in a state."""
        return sources.summary

    def step(
        self, ids: Int[Tensor, "B"], state: Float[Tensor, "B d_model"], sources: RecurrentSources
    ) -> tuple[Float[Tensor, "B vocab_size"], Float[Tensor, "B d_model"]]:
        """Score every token after one more token of each target, and return the state after it, too."""
        state, seen = self._advance(self.embedding(ids), state, sources)
        return self._logits(state, seen), state

    def next_logits(self, sources: RecurrentSources) -> NextLogits:
        """Return a function from the targets so far, (B, T), to logits; it reads only the new tokens."""
        state, read = sources.start, 0

        @torch.inference_mode()
        def ask(ids: Tensor) -> Tensor:
            nonlocal state, read
            for new in ids[:, read:].unbind(dim=1):
                logits, state = self.step(new, state, sources)
            read = ids.shape[1]
            return logits

        return ask

    def forward(
        self, ids: Int[Tensor, "B S"], target_ids: Int[Tensor, "B T"], *, mask: Bool[Tensor, "B S"] | None = None
    ) -> Float[Tensor, "B T vocab_size"]:
        """Score every token as the next one after each position of the targets, as ``EncoderDecoder`` does."""
        states, seen = self._unrolled(target_ids, self.encode(ids, mask))
        return self._logits(states[:, 1:], seen)

    def _unrolled(self, target_ids: Tensor, sources: RecurrentSources) -> tuple[Tensor, Tensor]:
        """Return the states, the first one included, (B, T + 1, d_model), and what was seen, (B, T, 2 d_model)."""
        states, contexts = [sources.start], []
        for x in self.embedding(target_ids).unbind(dim=1):
            state, seen = self._advance(x, states[-1], sources)
            states.append(state)
            contexts.append(seen)
        return torch.stack(states, dim=1), torch.stack(contexts, dim=1)

    def _advance(self, x: Tensor, state: Tensor, sources: RecurrentSources) -> tuple[Tensor, Tensor]:
        """Return the state after one more token, and what the decoder saw of the sources for it."""
        seen = self.context(state, sources)  # (B, 2 d_model)
        return self.writer(torch.cat([x, seen], dim=-1), state), seen

    def _logits(self, states: Tensor, seen: Tensor) -> Tensor:
        mixed = self.mix(torch.cat([states, seen], dim=-1)).tanh()  # (..., d_model)
        logits: Tensor = self.lm_head(mixed)
        return logits


class AttentiveTranslator(RecurrentTranslator):
    r"""Look at the source anew at each step: the vector that is handed on is an average by additive attention.

    .. math::

        a_{tj} = \mathbf w^\top\tanh(\mathbf s_{t-1} W_Q + \mathbf h_j W_K), \qquad
        \mathbf c_t = \sum_j \operatorname{softmax}(a_t)_j\,\mathbf h_j

    The scores are ``d_model`` wide inside as well.

    Source: Bahdanau et al. (2015), section 3.
    """

    def __init__(self, vocab_size: int, d_model: int, *, generator: torch.Generator) -> None:
        super().__init__(vocab_size, d_model, generator=generator)
        self.queries = LinearHead(d_model, d_model, generator=generator)
        self.compared = LinearHead(2 * d_model, d_model, generator=generator)
        self.score = LinearHead(d_model, 1, generator=generator)

    def keys(self, states: Float[Tensor, "B S d_states"]) -> Float[Tensor, "B S d"]:
        """Project the states of the sources once for all steps."""
        projected: Tensor = self.compared(states)
        return projected

    def context(self, state: Float[Tensor, "B d_model"], sources: RecurrentSources) -> Float[Tensor, "B d_states"]:
        """Average the states of the sources by their match with this state."""
        weights = self.weights(state[:, None], sources)  # (B, 1, S)
        return (weights @ sources.states).squeeze(1)

    def weights(self, states: Float[Tensor, "B T d_model"], sources: RecurrentSources) -> Float[Tensor, "B T S"]:
        """Return the weight of each source position in each of some states; 0 at padding."""
        hidden = (self.queries(states)[:, :, None] + sources.keys[:, None]).tanh()  # (B, T, S, d_model)
        scores: Tensor = self.score(hidden).squeeze(-1)  # (B, T, S)
        return scores.masked_fill(~sources.mask[:, None], -torch.inf).softmax(dim=-1)

    def with_weights(
        self, ids: Int[Tensor, "B S"], target_ids: Int[Tensor, "B T"], *, mask: Bool[Tensor, "B S"] | None = None
    ) -> tuple[Float[Tensor, "B T vocab_size"], Float[Tensor, "B T S"]]:
        """Return the logits, as ``forward`` does, and the weights by which each position looked at the source."""
        sources = self.encode(ids, mask)
        states, seen = self._unrolled(target_ids, sources)
        return self._logits(states[:, 1:], seen), self.weights(states[:, :-1], sources)


@torch.no_grad()
def _uniform(module: Module, d_model: int, generator: torch.Generator) -> Module:
    """Initialize an empty module uniformly between plus and minus the root of 1 / d_model."""
    module = module.to_empty(device=generator.device)
    for parameter in module.parameters():
        parameter.uniform_(-(d_model**-0.5), d_model**-0.5, generator=generator)
    return module
