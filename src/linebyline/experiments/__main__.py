"""Make the recorded experiments: ``python -m linebyline.experiments [NAME ...]``.

The same command resumes an interrupted study: each run that has ended is kept. All studies take
some hours on one core.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import torch

from . import (
    answering,
    batch_size,
    blocks,
    contamination,
    copying,
    first_network,
    first_steps,
    fixed_weights,
    heads,
    judged,
    longer_windows,
    model_size,
    our_model,
    own_decoder,
    positions,
    preferences,
    questions,
    quiet_start,
    relative,
    rewards,
    second_copy,
    steep_slopes,
    studies,
    swap_positions,
    warmup,
)

ALL = (
    first_network.STUDY,
    our_model.STUDY,
    positions.STUDY,
    questions.STUDY,
    heads.STUDY,
    copying.STUDY,
    second_copy.STUDY,
    relative.STUDY,
    blocks.STUDY,
    warmup.STUDY,
    batch_size.STUDY,
    first_steps.STUDY,
    model_size.STUDY,
    own_decoder.STUDY,
    swap_positions.STUDY,
    longer_windows.STUDY,
    quiet_start.STUDY,
    answering.STUDY,
    preferences.STUDY,
    rewards.STUDY,
    judged.STUDY,
    contamination.STUDY,
    fixed_weights.STUDY,
    steep_slopes.STUDY,
)
STUDIES = {study.name: study for study in ALL}


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line, and make the runs that are missing."""
    parser = argparse.ArgumentParser(prog="python -m linebyline.experiments", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{', '.join(STUDIES)}; all when left out")
    parser.add_argument("--folder", type=Path, default=studies.RECORDS, help="where the records are")
    parser.add_argument("--device", default="cpu", help="where to compute, such as cuda (cpu when left out)")
    options = parser.parse_args(arguments)
    if strange := [name for name in options.names if name not in STUDIES]:
        parser.error(f"no study {', '.join(strange)}; there are {', '.join(STUDIES)}")
    try:
        torch.zeros(1, device=options.device)
    except (RuntimeError, AssertionError) as error:
        parser.error(f"--device {options.device}: {str(error).splitlines()[0]}")
    torch.set_num_threads(1)  # the models are small: a second thread would wait more than it works
    texts = studies.course_texts()
    for name in options.names or STUDIES:
        try:
            studies.complete(STUDIES[name], texts, options.folder, device=options.device)
        except (ValueError, OSError) as error:
            sys.exit(f"{parser.prog}: {error}")


if __name__ == "__main__":
    main()
