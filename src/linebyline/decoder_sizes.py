"""What the sizes of a decoder decide: its parameters, its memory, its work, and how fast it can write."""

from dataclasses import dataclass

from clearformer.models import GPT2Config, LlamaConfig, RotaryScaling

CACHED = 2  # bytes of a number in the cache

_llama3 = RotaryScaling(factor=8.0, low=1.0, high=4.0, context=8192)
PUBLISHED: dict[str, GPT2Config | LlamaConfig] = {
    "GPT-2": GPT2Config(),
    "TinyLlama": LlamaConfig(context=2048, d_model=2048, n_kv_heads=4, n_layers=22, d_ff=5632),
    "Llama 2 7B": LlamaConfig(),
    "Llama 2 70B": LlamaConfig(d_model=8192, n_heads=64, n_kv_heads=8, n_layers=80, d_ff=28_672),
    "Llama 3.1 8B": LlamaConfig(128_256, 131_072, n_kv_heads=8, d_ff=14_336, base=5e5, scaling=_llama3),
    "Llama 3.1 70B": LlamaConfig(128_256, 131_072, 8192, 64, 8, n_layers=80, d_ff=28_672, base=5e5, scaling=_llama3),
}


@dataclass(frozen=True)
class DecoderSizes:
    """The sizes of a decoder, as far as parameters, memory and work depend on them.

    Source: Touvron et al. (2023) for the form with a gate; Radford et al. (2019) for that with biases.

    Example:
        >>> sizes = DecoderSizes.of(LlamaConfig())
        >>> sizes.parameters, sizes.cache_bytes(4096) / 2**30
        (6738415616, 2.0)
    """

    d_model: int
    n_layers: int
    n_heads: int
    n_kv_heads: int
    d_ff: int
    vocab_size: int
    gated: bool = True  #: Whether feed-forward layers have three matrices, not two
    tied: bool = False  #: Whether one table is read in and out
    biases: bool = False  #: Whether products and norms add vectors, as in GPT-2
    positions: int = 0  #: Number of learned positions

    @classmethod
    def of(cls, config: GPT2Config | LlamaConfig) -> "DecoderSizes":
        """Read the sizes of a named model."""
        first = (config.d_model, config.n_layers, config.n_heads)
        if isinstance(config, GPT2Config):
            last = (config.n_heads, config.d_ff, config.vocab_size)
            return cls(*first, *last, gated=False, tied=True, biases=True, positions=config.context)
        return cls(*first, config.n_kv_heads, config.d_ff, config.vocab_size, tied=config.tied)

    @property
    def d_k(self) -> int:
        """Width of a head."""
        return self.d_model // self.n_heads

    @property
    def matrices(self) -> int:
        """Weights that meet a token in a product, all matrices and the table as it is read out."""
        attention = 2 * self.d_model * (self.n_heads + self.n_kv_heads) * self.d_k
        feed_forward = (3 if self.gated else 2) * self.d_model * self.d_ff
        return self.n_layers * (attention + feed_forward) + self.vocab_size * self.d_model

    @property
    def parameters(self) -> int:
        """Numbers that training changes."""
        tables = (0 if self.tied else self.vocab_size * self.d_model) + self.positions * self.d_model
        norms = (2 * self.n_layers + 1) * self.d_model
        products = (self.n_heads + 2 * self.n_kv_heads) * self.d_k + 2 * self.d_model + self.d_ff  # biases of a block
        return self.matrices + tables + norms + (norms + self.n_layers * products if self.biases else 0)

    def cache_bytes(self, T: int) -> int:
        """Return the bytes of the keys and values of ``T`` tokens, two a number."""
        return 2 * self.n_layers * self.n_kv_heads * self.d_k * T * CACHED

    def operations(self, T: int) -> int:
        """Count the multiplications and additions of one more token that sees ``T``, itself among them."""
        return 2 * self.matrices + 4 * self.n_layers * self.n_heads * self.d_k * T

    def tokens_per_second(self, T: int, *, bits: float, bandwidth: float, rate: float) -> float:
        r"""Return the most tokens that can be written in a second, one text at a time.

        .. math::

            \min\Big(\frac{\text{bandwidth}}{\text{bytes of matrices and cache}},
            \frac{\text{rate}}{\text{operations of a token}}\Big)

        Each token sees ``T``; a weight has so many ``bits``, and the machine delivers ``bandwidth`` bytes and computes
        ``rate`` operations in a second.

        Source: Williams et al. (2009).

        Example:
            >>> round(DecoderSizes.of(LlamaConfig()).tokens_per_second(4096, bits=4, bandwidth=1e11, rate=1e12), 1)
            18.3
        """
        fetched = self.matrices * bits / 8 + self.cache_bytes(T)
        return min(bandwidth / fetched, rate / self.operations(T))
