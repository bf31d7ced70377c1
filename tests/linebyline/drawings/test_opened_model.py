"""The opened model marks the two heads that the chapter finds, and says what the model says."""

import torch

from linebyline import inspection, pretrained
from linebyline.drawings import opened_model
from linebyline.drawings.opened_model import PAIR, SAID

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
