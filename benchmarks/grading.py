"""Two hundred submissions of ten exercises, graded, interrupted and resumed: python -m benchmarks.grading."""

import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from benchmarks.lines import Quantity
from benchmarks.records import machine, machine_line, record
from linebyline.exercises import registry
from linebyline.grading.book import excerpt, solution

NOTE = (
    "Each submission has ten answers, nine of ten of them right; of twenty submissions one never ends in an exercise, "
    "one wants all the memory, and one cannot be read. The grading is made once in one go, and once interrupted by "
    "Ctrl-C when half is done, and resumed: gradebook, feedback and pairs of similar answers are the same bytes."
)
EXERCISES = (
    "positional_encoding.wavelengths",
    "attention.weighted_average",
    "attention.softmax",
    "attention.softmax_jacobian",
    "masks_and_cross_attention.window",
    "masks_and_cross_attention.leaks",
    "multi_head_attention.merged",
    "multi_head_attention.induction",
    "normalization.fold",
    "normalization.rms_backward",
)
ASSIGNMENT = 'title = "Ten"\ndue = 2099-10-23T23:59:00\nzone = "UTC"\nseed_file = "a1.seed"\n'


def submission(number: int) -> str:
    """Write the program of a student, one exercise after the other."""
    draw, parts = random.Random(number), ["from linebyline.exercises import check"]
    for place, id in enumerate(EXERCISES):
        exercise = registry()[id]
        taken, code = excerpt(exercise), solution(exercise)
        if draw.random() < 0.1:
            code = f"def {exercise.entry}(*inputs):\n    return inputs[0]"
        if place == number % 10 and number % 20 in (3, 7):
            body = "while True: pass" if number % 20 == 3 else "return [np.ones(10**8) for _ in range(10**4)]"
            code = f"def {exercise.entry}(*inputs):\n    {body}"
        parts += ["import numpy as np", *taken.imports, *taken.helpers, code]
    return "\n\n".join([*parts, "def unfinished(:"] if number % 20 == 11 else parts) + "\n"


def grading(folder: Path, out: Path, isolation: str) -> list[str]:
    """Give the command that grades what is in a folder."""
    place = [str(folder / "a1.toml"), str(folder / "in"), "-o", str(out)]
    return [sys.executable, "-m", "clearformer", "grade", *place, "--isolate", isolation]


def written(out: Path) -> dict[str, bytes]:
    """Read what does not depend on when it was made."""
    files = [out / "gradebook.csv", out / "similar.csv", *sorted((out / "feedback").iterdir())]
    return {str(file.relative_to(out)): file.read_bytes() for file in files}


def measured(n: int, isolation: str = "auto") -> list[Quantity]:
    """Grade some submissions in one go, and again with an interruption.

    Raises:
        AssertionError: the two differ.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "in").mkdir()
        (folder / "a1.toml").write_text(ASSIGNMENT + "".join(f'[[exercises]]\nid = "{id}"\n' for id in EXERCISES))
        (folder / "a1.seed").write_text("2026")
        for number in range(n):
            (folder / "in" / f"student{number:03}.py").write_text(submission(number))
        begin = time.perf_counter()
        subprocess.run(grading(folder, folder / "whole", isolation), check=True)
        minutes = (time.perf_counter() - begin) / 60
        # Who runs this in the background has told it to ignore Ctrl-C, which its children would inherit.
        heard = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
        parts = subprocess.Popen(grading(folder, folder / "parts", isolation), preexec_fn=heard)
        while len(list((folder / "parts").glob("records/*.json"))) < n // 2 and parts.poll() is None:
            time.sleep(0.05)
        parts.send_signal(signal.SIGINT)
        assert parts.wait() != 0, "it was done before it could be interrupted"
        subprocess.run(grading(folder, folder / "parts", isolation), check=True)
        assert written(folder / "parts") == written(folder / "whole"), "interrupted and resumed, it is another grading"
    # The largest of all processes that were waited for: the controller, a judge or a worker.
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20
    return [
        Quantity(f"{n} submissions of ten exercises", round(minutes, 2), "minutes", 10, "most"),
        Quantity("peak memory of the largest process", round(peak, 2), "GiB", 2.5, "most"),
    ]


def main() -> None:
    """Measure, print and write."""
    facts = machine(["numpy"])
    print(machine_line(facts))
    quantities = measured(200)
    print(*quantities, sep="\n")
    print(f"\nwritten to {record('grading', facts, NOTE, quantities=quantities)}")


if __name__ == "__main__":
    main()
