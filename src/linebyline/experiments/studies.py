"""Records of studies: each finished run is in the file, so the same command continues with what is missing."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import torch
from jaxtyping import Int
from torch import Tensor
from tqdm import tqdm

from clearformer.files import write_whole
from linebyline import corpora, pretrained
from linebyline.machine import machine

RECORDS = Path(__file__).parent / "records"
Facts = Mapping[str, Any]
Progress = Callable[[Iterable[int]], Iterable[int]]


class Texts(NamedTuple):
    """The course's text in tokens of the course's tokenizer."""

    read: Int[Tensor, " n"]  #: What models are trained on
    unseen: Int[Tensor, " n"]  #: What they are measured on
    name: str  #: Hash of the first, and of the tokenizer's vocabulary


def course_texts() -> Texts:
    """Cut the docstrings of NumPy and SciPy into tokens, with the tokenizer of the language model."""
    tokenizer, (read, unseen) = pretrained.language_model().tokenizer, corpora.docstrings_split()
    name = corpora.text_hash(read + json.dumps(sorted(tokenizer.vocab.values())))
    return Texts(torch.tensor(tokenizer.encode(read)), torch.tensor(tokenizer.encode(unseen)), name)


@dataclass(frozen=True)
class Study:
    """Some training runs, each of which can be made by itself."""

    name: str  #: Of its record
    recipe: Facts  #: All that its runs have in common, besides the code and the text
    settings: Sequence[Facts]  #: What is different, run by run
    #: How many steps a run has, and about how many milliseconds one takes, for the progress bar.
    steps: Callable[[Facts], tuple[int, int]]
    #: Makes the run of a setting, on a device, and gives what was found.
    measure: Callable[[Facts, Texts, str, Progress], Facts]


def complete(study: Study, texts: Texts, folder: Path = RECORDS, *, device: str = "cpu") -> None:
    """Make the runs of a study that its record lacks; the record is replaced, in one move, after each.

    Raises:
        ValueError: the record is no record, or was begun with another recipe, text or machine.
    """
    path = folder / f"{study.name}.json"
    record = _begun(study, texts, path, device)
    made = [run["setting"] for run in record["runs"]]
    missing = [setting for setting in study.settings if setting not in made]
    weights = {id(setting): steps * each for setting in study.settings for steps, each in [study.steps(setting)]}
    total = sum(weights.values())
    done = total - sum(weights[id(setting)] for setting in missing)
    form = "{desc} {percentage:3.0f}%|{bar}| {elapsed} gone, {remaining} left"
    with tqdm(total=total, initial=done, desc=study.name, bar_format=form) as bar:
        for setting in missing:
            found = study.measure(setting, texts, device, _step_by_step(bar, study.steps(setting)[1]))
            record["runs"].append({"setting": dict(setting), **found})
            record["runs"].sort(key=lambda run: study.settings.index(run["setting"]))
            record["date"] = datetime.now(UTC).date().isoformat()
            _write(path, record)


def read(name: str, folder: Path = RECORDS) -> dict[str, Any]:
    """Read the record of a study.

    Raises:
        ValueError: the file is no record.
    """
    path = folder / f"{name}.json"
    try:
        record: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        missing = [key for key in ("recipe", "text", "machine", "date", "runs") if key not in record]
    except (json.JSONDecodeError, UnicodeDecodeError, TypeError) as error:
        raise ValueError(f"{path} is no record of a study: {error}") from None
    if missing:
        raise ValueError(f"{path} is no record of a study: it lacks {', '.join(missing)}")
    return record


def runs(name: str, **setting: Any) -> list[Facts]:
    """Return the recorded runs of a study with exactly this setting, one for each seed."""
    wanted = {**setting, "seed": None}
    return [run for run in read(name)["runs"] if {**run["setting"], "seed": None} == wanted]


def about(record: Facts) -> str:
    """Say when and on what a record was made, and of which recipe, in two lines.

    Example:
        >>> facts = {"processor": "P", "cores": 2, "device": "cpu", "packages": {"torch": "2.0"}}
        >>> print(about({"date": "2026-01-31", "machine": facts, "recipe": {"batch": 8, "steps": 20}}))
        2026-01-31, P, 2 cores, device cpu, torch 2.0
        batch 8, steps 20
    """
    facts = record["machine"]
    versions = ", ".join(f"{name} {number}" for name, number in facts["packages"].items())
    made = f"{record['date']}, {facts['processor']}, {facts['cores']} cores, device {facts['device']}, {versions}"
    return f"{made}\n{', '.join(f'{name} {value}' for name, value in record['recipe'].items())}"


def _begun(study: Study, texts: Texts, path: Path, device: str) -> dict[str, Any]:
    """The record as far as it goes, or an empty one."""
    now = {
        "recipe": json.loads(json.dumps(study.recipe)),
        "text": texts.name,
        "machine": {**machine(["torch"]), "device": _device_name(device)},
    }
    if not path.exists():
        return {**now, "date": "", "runs": []}
    record = read(study.name, path.parent)
    apart = [
        f"{name} is {there.get(name)!r} there and {here.get(name)!r} here"
        for there, here in [(record["recipe"], now["recipe"]), (record["machine"], now["machine"]), (record, now)]
        for name in sorted({**there, **here})
        if name not in ("recipe", "machine", "date", "runs") and there.get(name) != here.get(name)
    ]
    apart += [f"it has a run of {run['setting']}" for run in record["runs"] if run["setting"] not in study.settings][:1]
    if apart:
        raise ValueError(f"{path} was begun otherwise: {'; '.join(apart)}. Delete it, or choose another --folder")
    return record


def _device_name(device: str) -> str:
    kind = torch.device(device)
    return torch.cuda.get_device_name(kind) if kind.type == "cuda" else kind.type


def _step_by_step(bar: tqdm, milliseconds: int) -> Progress:
    """Move the bar on by each step of a run."""

    def progress(steps: Iterable[int]) -> Iterator[int]:
        for step in steps:
            yield step
            bar.update(milliseconds)

    return progress


def _write(path: Path, record: Facts) -> None:
    """Write a record with a line for each run."""
    head = {key: value for key, value in record.items() if key != "runs"}
    lines = ",\n".join(json.dumps(run, separators=(",", ":")) for run in record["runs"])
    write_whole(path, f'{json.dumps(head, indent=1)[:-2]},\n "runs": [\n{lines}\n]}}\n')
