"""The exercise on batches: windows of the text that may be read, each with its targets."""

from functools import partial

import numpy as np
import torch

from linebyline.exercises.core import expect_close, expect_equal
from linebyline.exercises.own_decoder.parts import chapter, plain


def _batch(ids, n_read, size, window, seed, *, ends=1, shift=1, scattered=True, draws=1):
    generator = torch.Generator().manual_seed(seed)
    starts = torch.randint(n_read - window + 1 - ends, (draws, size, 1), generator=generator).amin(0)
    starts = starts if scattered else starts[:1] + torch.zeros(size, 1, dtype=torch.long)
    places = starts + torch.arange(window)
    return ids[places], ids[places + shift]


def _by_windows(ids, n_read, size, window, seed):
    all_of_them = ids[:n_read].unfold(0, window + 1, 1)
    chosen = all_of_them[np.random.default_rng(seed).integers(len(all_of_them), size=size)]
    return chosen[:, :-1], chosen[:, 1:]


@chapter.write(
    "A batch with its targets · medium · 3 points · 15 minutes · may use PyTorch",
    right=_by_windows,
    wrong={
        "does not shift": partial(_batch, shift=0),
        "shifts twice": partial(_batch, shift=2, ends=2),
        "shifts backwards": partial(_batch, shift=-1),
        "lets the last target be unseen text": partial(_batch, ends=0),
        "never reads the last token": partial(_batch, ends=2),
        "repeats one window": partial(_batch, scattered=False),
        "prefers early windows": partial(_batch, draws=2),
        "draws the same every time": lambda ids, n_read, size, window, seed: _batch(ids, n_read, size, window, 0),
    },
)
class batch:
    def targets_are_what_comes_next(self, answer, rng):
        ids = torch.tensor(rng.permutation(50))
        inputs, targets = map(plain, answer(ids, 50, 4, 7, int(rng.integers(100))))
        place = {int(id): i for i, id in enumerate(ids)}
        expect_close([np.shape(inputs), np.shape(targets)], [(4, 7), (4, 7)], "shapes of inputs and targets")
        places = np.vectorize(place.get)(np.concatenate([inputs, np.asarray(targets)[:, -1:]], axis=1))
        expect_close(np.diff(places), np.ones((4, 7)), "steps through the text from each input to the next")
        expect_close(np.asarray(targets)[:, :-1], np.asarray(inputs)[:, 1:], "all targets but the last")

    def unseen_text_stays_unseen(self, answer, rng):
        n_read = int(rng.integers(10, 20))
        last = max(int(np.max(plain(answer(torch.arange(40), n_read, 8, 6, seed)[1]))) for seed in range(30))
        assert last < n_read, f"{n_read} tokens may be read: expected none from place {n_read} on, got {last}"

    def every_window_has_the_same_chance(self, answer, rng):
        def firsts(n):
            drawn = [plain(answer(torch.arange(n + 30), n, 250, 6, seed)[0])[:, 0] for seed in range(8)]
            return np.concatenate(drawn)  # 2,000 draws: the tolerances are six standard errors of a right answer

        found = np.bincount(firsts(10), minlength=4) / 2000
        expect_close(found, [0.25] * 4, "how often windows of 6 begin at 0, 1, 2 and 3 in 10 tokens", atol=0.06)
        mean = firsts(1000).mean() / 993
        expect_close(mean, 0.5, "the mean place of 2,000 windows, from 0 for the first to 1 for the last", atol=0.04)

    def the_seed_decides(self, answer, rng):
        draws = [plain(answer(torch.arange(900), 900, 4, 8, seed)[0])[:, 0].tolist() for seed in (3, 3, 4)]
        expect_equal(draws[1], draws[0], "the same seed again: where windows begin")
        assert draws[2] != draws[0], f"another seed: expected other windows, got the same at {draws[2]}"
        assert len(set(draws[0])) > 1, f"a batch of 4: expected different windows, got {draws[0]}"
