"""The opened model marks the two heads that the chapter finds, and says what the model says."""

import numpy as np
import torch

from linebyline import inspection, pretrained
from linebyline.drawings import lens_grid, opened_model, square_matrix
from linebyline.drawings.lens_grid import READ, hits
from linebyline.drawings.lens_grid import SAID as GRID
from linebyline.drawings.opened_model import PAIR, SAID
from linebyline.drawings.square_matrix import SQUARE, WIDE

TEXT = "Returns the sum of the array elements over a given"


def test_guesses_are_those_of_the_language_model():
    kept = pretrained.language_model()
    subject = inspection.Subject(kept.model, kept.tokenizer, torch.tensor(kept.tokenizer.encode(TEXT)))
    p, ids = inspection.logit_lens(subject)[:, -1].exp().max(dim=-1)
    assert [kept.tokenizer.decode([i]).strip() for i in ids.tolist()] == [word for word, _ in SAID]
    assert [f"{value:.2f}" for value in p.tolist()[3:]] == [shown for _, shown in SAID[3:]]


def test_the_marked_heads_look_back_and_copy():
    model = pretrained.language_model().model
    ids = inspection.two_copies(1024, 25, 16, torch.Generator().manual_seed(0))
    scores = inspection.induction_scores(model, ids)
    assert divmod(int(scores.argmax()), 4) == PAIR[1]
    assert opened_model().svg().count("filled query") == len(PAIR)


def test_the_grid_of_the_lens_is_that_of_the_language_model():
    kept = pretrained.language_model()
    ids = kept.tokenizer.encode(f"{TEXT} axis.")
    p, best = inspection.logit_lens(inspection.Subject(kept.model, kept.tokenizer, torch.tensor(ids))).exp().max(-1)
    assert [kept.tokenizer.decode([i]).strip() for i in ids] == list(READ)
    for t, row in enumerate(GRID):
        names = [kept.tokenizer.decode([i]) for i in best[:, t].tolist()]
        assert [name.strip() or {"\n": "↵", " ": "␣"}[name] for name in names] == [word for word, _ in row]
        np.testing.assert_allclose(100 * p[:, t].numpy(), [share for _, share in row], atol=0.6)  # rounded
    assert lens_grid().svg().count("empty query") == len(hits())


def test_only_a_square_matrix_passes_as_its_transpose():
    assert WIDE.shape != WIDE.T.shape and SQUARE.shape == SQUARE.T.shape
    drawing = square_matrix()
    assert "becomes (1, 3) instead of (1, 2)" in drawing.description
    assert drawing.svg().count(">(2, 2)<") == 2
