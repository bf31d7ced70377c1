"""Every target in one table: by work and peer the least ratio, and for a measurement without a peer its bound."""

TRANSFORMERS = "transformers generate"

TARGETS: dict[tuple[str, str], float] = {
    # Generation on a copy that clearformer.inference.prepare has made.
    ("128 tokens, course model, greedy, prepared", TRANSFORMERS): 2.3,
    ("128 tokens, course model, beam-4, prepared", TRANSFORMERS): 1.8,
    ("32 tokens, GPT-2 small, greedy, prepared", TRANSFORMERS): 1.9,
    ("64 tokens, T5-small, greedy, prepared", TRANSFORMERS): 1.8,
    # Reading and training.
    ("forward pass, BERT-base, 8 x 128, prepared", "BertModel"): 1.0,
    ("training step, 16 x 128", "GPT2LMHeadModel"): 1.1,
    # Attention in blocks, forward and backward.
    ("causal attention, forward and backward", "PyTorch, fused"): 1.0,
    ("causal attention, forward and backward", "PyTorch, naive"): 4.0,
    ("causal attention, memory", ""): 40,
    # Tokenizers.
    ("train BPE, pydoc topics, 4,000", "Hugging Face"): 1.0,
    ("train BPE, pydoc topics, 1,000", "ten-line version"): 200.0,
    ("train Unigram, docstrings, 1,000", "Hugging Face"): 1 / 3,
    ("train BPE, pydoc topics, 4,000, memory", ""): 10,
    ("encode, BPE, pydoc topics, 4,000, first", "Hugging Face"): 2.5,
    ("encode, BPE, pydoc topics, 4,000, again", "Hugging Face"): 2.5,
    ("encode, BPE, pydoc topics, 4,000, again", "tiktoken"): 0.4,
    ("encode, Unigram, docstrings, 4,000, again", "Hugging Face"): 1.0,
    ("encode, WordPiece, docstrings, 4,000, again", "Hugging Face"): 1.0,
    # A model of 1.1 billion parameters from disk.
    ("1.1-billion Llama, time to the first token", "transformers"): 1.0,
    ("1.1-billion Llama, a token, bfloat16", "transformers"): 1.0,
    # The live model in the page.
    ("live model, from the click to the first token", ""): 1.0,
    ("live model, tokens while the page shows each", ""): 200,
    ("live model, weights, scripts and page, compressed", ""): 2.0,
}
