"""The sizes of a decoder under the names that llama.cpp prints."""

from clearformer.models import GPT2Config, LlamaConfig


def sizes(config: GPT2Config | LlamaConfig) -> dict[str, int]:
    """Give the sizes as llama.cpp prints them when it loads a model.

    ``n_gqa`` is the number of queries that share a key, and ``n_embd_k_gqa`` the width of all keys of a token.

    Args:
        config: Our sizes.

    Example:
        >>> printed = sizes(LlamaConfig(n_heads=32, n_kv_heads=8))
        >>> printed["n_gqa"], printed["n_embd_k_gqa"]
        (4, 1024)
    """
    n_kv_heads = config.n_kv_heads if isinstance(config, LlamaConfig) else config.n_heads
    d_k = (config.d_k if isinstance(config, LlamaConfig) else None) or config.d_model // config.n_heads
    return {
        "n_vocab": config.vocab_size,
        "n_ctx_train": config.context,
        "n_embd": config.d_model,
        "n_head": config.n_heads,
        "n_head_kv": n_kv_heads,
        "n_layer": config.n_layers,
        "n_rot": d_k,
        "n_embd_head_k": d_k,
        "n_embd_head_v": d_k,
        "n_gqa": config.n_heads // n_kv_heads,
        "n_embd_k_gqa": n_kv_heads * d_k,
        "n_embd_v_gqa": n_kv_heads * d_k,
        "n_ff": config.d_ff,
    }
