"""An assignment for tests, and what stands in for the judge."""

from pathlib import Path

TOML = """
title = "Attention by hand"
due = 2026-10-23T23:59:00
zone = "Europe/Berlin"
seed_file = "a1.seed"

[late]
percent_per_day = 10
last_day = 3

[[exercises]]
id = "attention.weighted_average"
may_use = ["numpy"]
forbid = ["numpy.average"]

[[exercises]]
id = "attention.doubled"

[[exercises]]
id = "attention.softmax"
points = 4
credit = "laws"

[[essays]]
id = "why"
question = "Why are scores divided?"
points = 3
rubric = ["names the spread", "names the softmax"]
"""


def write(folder: Path, text: str = TOML, seed: str = "2026\n") -> Path:
    """Write an assignment and its seed."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "a1.seed").write_text(seed)
    (folder / "a1.toml").write_text(text)
    return folder / "a1.toml"
