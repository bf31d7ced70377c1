"""Train the models that are kept with the course: ``python -m linebyline.train language_model``.

A run that was interrupted continues from its last checkpoint when the same command is given again. The kept file
is replaced at the very end, in one move. Products are computed in bfloat16 where the device has it: the language model
then takes about 50 minutes on one core of a server, and 90 where it has not.

``torchrun --nproc-per-node 2 -m linebyline.train language_model`` trains a model on two cores.

The other names train and compare several models each, or measure one, and write results beside the weights.
"""

import argparse
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from tqdm import tqdm

from clearformer.files import write_whole
from clearformer.training import Processes
from linebyline import ablations, architectures, corpora, evaluation, gpt2_to_llama, pretrained, translation
from linebyline import masked_language_model as mlm
from linebyline import text_to_text as t2t
from linebyline.assistant.model import BASE_MODEL
from linebyline.encoder import few_labels, practice, roles, two_sides, who_uses
from linebyline.kept_models import WEIGHTS, KeptModel
from linebyline.masked_language_model.model import MASKED_LANGUAGE_MODEL
from linebyline.text_to_text import TEXT_TO_TEXT, studies
from linebyline.translation import baselines

KEPT: list[KeptModel[Any]] = [
    pretrained.LANGUAGE_MODEL,
    translation.TRANSLATOR,
    MASKED_LANGUAGE_MODEL,
    TEXT_TO_TEXT,
    BASE_MODEL,
]


def _bar(name: str) -> Callable[[Iterable[int]], Iterable[int]]:
    return partial(tqdm, desc=name, unit="step")


# What each file of results compares, beside the models themselves.
COMPARISONS: dict[str, Callable[[], Mapping[str, object]]] = {
    "translation_rivals": lambda: baselines.compare(range(3), _bar),
    "encoder": lambda: {
        "two_sides": two_sides.compare(range(5), _bar),
        "masks": two_sides.compare_masks(range(5), _bar),
        "practice": practice.compare(mlm.masked_language_model(), corpora.docstrings_split(), range(3), _bar),
        "few_labels": few_labels.compare(mlm.masked_language_model(), corpora.docstrings_split(), _bar),
        "tags": roles.compare(mlm.masked_language_model(), range(3), _bar),
        "who_uses": who_uses.compare(mlm.masked_language_model(), range(5), _bar),
        "who_uses_apart": who_uses.compare_apart(mlm.masked_language_model(), range(5), _bar),
    },
    "text_to_text_studies": lambda: {
        "few_examples": studies.few_examples(t2t.vocabulary(), range(3), _bar),
        "longer": studies.longer(t2t.vocabulary(), range(3), _bar),
        "together": studies.together(t2t.vocabulary(), range(3), _bar),
        "again": studies.again(t2t.vocabulary(), range(3), _bar),
    },
    "wirings": lambda: architectures.compare(range(3), _bar),
    "swaps": lambda: gpt2_to_llama.compare(pretrained.language_model(), corpora.docstrings_split(), range(5), _bar),
    "contexts": lambda: evaluation.contexts(pretrained.language_model(), corpora.docstrings_split()[1]),
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line and train."""
    models = {kept.name: kept for kept in KEPT}
    parser = argparse.ArgumentParser(prog="python -m linebyline.train", description=__doc__)
    parser.add_argument("name", choices=[*models, "choices", *COMPARISONS])
    parser.add_argument("--device", default="cpu", help="where to compute, such as cuda (cpu when left out)")
    parser.add_argument("--folder", type=Path, default=WEIGHTS, help="where to write")
    options = parser.parse_args(arguments)
    name, folder = options.name, options.folder
    with Processes.from_environment(options.device) as processes:
        if name in models:
            models[name].train(folder / f"{name}.safetensors", processes=processes)
        elif processes.world_size > 1:
            parser.error(f"{name} trains each model in one process, and there are {processes.world_size} processes")
        elif name == "choices":
            ablations.compare(folder, processes)
        else:
            lines = ",\n".join(f" {json.dumps(key)}: {json.dumps(found)}" for key, found in COMPARISONS[name]().items())
            write_whole(folder / f"{name}.json", f"{{\n{lines}\n}}\n")


if __name__ == "__main__":
    main()
