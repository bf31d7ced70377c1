"""Claims on embeddings: the look-up, what a vector says about its token, and how many numbers the table holds."""

import math

import numpy as np
import torch

from clearformer import functional as F
from clearformer.models import BertConfig, bert
from linebyline.claims.declare import claim, corrected, depends, difference, draw, gap, holds, product

# The worked example of document 001: Dan, loves, ice, cream.
IDS = np.array([1003, 82, 371, 10004])


def _bert_parameters(n_layers: int, d_model: int, n_heads: int) -> int:
    """Count the parameters of a BERT with its pooler, a linear layer over the vector of [CLS]."""
    config = BertConfig(n_layers=n_layers, d_model=d_model, n_heads=n_heads, d_ff=4 * d_model)
    with torch.device("meta"):  # shapes without numbers
        parts = bert(config), torch.nn.Linear(d_model, d_model)
    return sum(weight.numel() for part in parts for weight in part.parameters())


@claim("000", "embedding-lookup", "The embedded sequence is X = Ẽx.")
@corrected("X = xẼ, as the same document has it three lines later: token vectors are rows.")
def _lookup_order() -> str:
    x, table = np.zeros((4, 7)), np.zeros((7, 3))
    return f"T=4, V=7, D=3: {product(x, table)}; {product(table, x)}"


@claim("000", "embedding-lookup", "Each row of X = xẼ is the embedding of one token.")
@holds("The product with one-hot rows copies rows of the table.")
def _rows_of_the_table() -> str:
    table = np.random.default_rng(0).normal(size=(11, 3))
    ids = np.array([7, 2, 7, 5])
    return f"product against rows 7, 2, 7, 5: {difference(gap(F.one_hot(ids, 11) @ table, table[ids]))}"


@claim("000", "embedding-lookup", "Tokens start as one-hot unit vectors.")
@holds("Of length one and all orthogonal, so no two tokens are more alike than others.")
def _unit_vectors() -> str:
    gram = F.one_hot(IDS, 10_005) @ F.one_hot(IDS, 10_005).T
    return f"lengths {gram.diagonal().min():.0f}, dot products of different tokens {(gram - np.eye(4)).max():.0f}"


@claim("000", "embedding-lookup", "The width is usually far below the size of the vocabulary.")
@holds("By a factor of 8 to 60 in the models that the documents mention.")
def _width_below_vocabulary() -> str:
    pairs = {"BERT-small": (30_522, 512), "the model dumped in 001": (32_000, 4096)}
    return "by arithmetic: " + "; ".join(f"{name}: {V:,} / {D:,} = {V / D:.1f}" for name, (V, D) in pairs.items())


@claim("001", "embedding-lookup", "Four tokens become four vectors of 512 numbers.")
@holds("One row of the table each.")
def _four_vectors() -> str:
    return f"ids {', '.join(map(str, IDS))} give {F.embed(IDS, np.zeros((10_005, 512))).shape}"


@claim("001", "embedding-lookup", "Each entry of the 4 x 512 matrix is a token.")
@corrected("Each row is a token; an entry is one of its components.")
def _entry_is_token() -> str:
    x = F.embed(IDS, np.zeros((10_005, 512)))
    return f"{x.shape[0]} rows, {x.size:,} entries"


@claim("001", "embedding-lookup", "A word that occurs twice gets the same embedding each time.")
@holds("To the last bit, as long as it becomes the same token each time.")
def _same_vector() -> str:
    table = np.random.default_rng(0).normal(size=(10_005, 8))
    x = F.embed(np.array([1003, 82, 371, 1003]), table)  # Dan loves ice Dan
    return f"first and last Dan: {(x[0] == x[3]).sum()} of 8 numbers equal; Dan and loves: {(x[0] == x[1]).sum()}"


@claim("001", "embedding-lookup", "The embeddings hold nothing about the context of a word.")
@depends("Nothing about this sentence. Training puts into the row what usually surrounds the word.")
def _no_context() -> str:
    x, output = draw(3, (7, 3))  # one token's vector; seven possible next tokens
    probabilities = F.softmax(output @ x)
    same = np.allclose(*[(probabilities - F.one_hot(np.array(following), 7)) @ output for following in (1, 2)])
    return f"same token before tokens 1 and 2: same vector, {'same' if same else 'different'} gradient of its row"


@claim("001", "sqrt-d-model", "The first thing a model does with embeddings is to add the positions.")
@depends("The paper of 2017 first multiplies by √d_model; else the encoding is the longer of the two.")
def _positions_first() -> str:
    rng, d_model = np.random.default_rng(0), 512
    norm = np.linalg.norm(rng.normal(size=(1000, d_model)) / math.sqrt(d_model), axis=-1).mean()
    return f"lengths: embedding {norm:.1f}, times √512 {norm * math.sqrt(d_model):.1f}, encoding {math.sqrt(256):.1f}"


@claim("001", "tying", "BERT-small has 15M parameters.")
@corrected("That is its token table alone; the model has nearly twice as many.")
def _bert_small() -> str:
    model = _bert_parameters(n_layers=4, d_model=512, n_heads=8)
    return f"token table 30,522 x 512 = {30_522 * 512:,}; model {model:,}"


@claim("001", "tying", "BERT-base has 110M parameters, BERT-large 340M.")
@holds("Within two per cent, without the heads that serve pre-training only.")
def _bert_base_large() -> str:
    base = _bert_parameters(n_layers=12, d_model=768, n_heads=12)
    return f"Base {base:,}; Large {_bert_parameters(n_layers=24, d_model=1024, n_heads=16):,}"


@claim("004", "training-a-table", "Token embedding turns tokens into semantic vectors.")
@depends("Only training does: it brings tokens together that are used alike, opposites included.")
def _semantic_vectors() -> str:
    """Train seven vectors on a toy corpus in which tokens 0 and 1 are used in the same way."""
    table, output = np.random.default_rng(0).normal(size=(7, 5)), np.zeros((7, 5))
    table[:2] = np.eye(2, 5)  # orthogonal at the start
    counts = np.array([[0, 0, 2, 2, 0, 0, 0], [0, 0, 2, 2, 0, 0, 0], *np.eye(7)[[4, 5, 6, 0, 1]]])
    cosines = []
    for step in range(501):
        if step in (0, 500):
            a, b = table[:2] / np.linalg.norm(table[:2], axis=-1, keepdims=True)
            cosines.append(a @ b)
        d_logits = F.softmax(table @ output.T) * counts.sum(axis=-1, keepdims=True) - counts
        table, output = table - 0.1 * d_logits @ output, output - 0.1 * d_logits.T @ table
    return f"cosine of two tokens used alike: {cosines[0]:.1f} untrained, {cosines[1]:.1f} trained"


@claim("004", "embedding-lookup", "Embedding reduces the size of the vocabulary to the hidden size.")
@holds("As the last axis of the array; the number of tokens stays.")
def _to_hidden_size() -> str:
    return product(F.one_hot(IDS, 10_005), np.zeros((10_005, 512)))


@claim("004", "embedding-lookup", "It is a look-up table or a linear layer.")
@holds("Both give the same numbers, if the layer has no bias; the look-up multiplies nothing.")
def _lookup_or_linear() -> str:
    table = np.random.default_rng(0).normal(size=(10_005, 8))
    same = difference(np.abs(F.one_hot(IDS, 10_005) @ table - F.embed(IDS, table)).max())
    return f"{same}; multiplications at width 8: {4 * 10_005 * 8:,} and none"
