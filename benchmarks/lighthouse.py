"""Lighthouse on pages of the built book, as on a phone and on a desktop: python -m benchmarks.lighthouse [PAGE ...].

Lighthouse is no part of the project's environment: the module runs the command ``lighthouse`` that it finds, for
example after ``npm install --global lighthouse``. Lighthouse slows the processor down by four for a phone, meant for a
fast desktop; on a slower one the factor is scaled by the index that Lighthouse measures of the processor.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.live_model import chromium
from tests.browser.serving import Compressing, served

HTML = Path(__file__).parents[1] / "_build" / "html"
PAGES = ["book/index.html", "book/attention.html", "book/language_model.html"]
CATEGORIES = ("performance", "accessibility", "best-practices")
SLOWDOWN, FAST_DESKTOP = 4.0, 1500.0  # Lighthouse's own factor, and the least index that it calls a fast desktop
FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-background-networking --no-first-run "
    "--host-resolver-rules='MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'"
)


def report(address: str, device: str, slowdown: float) -> dict[str, Any]:
    """Run Lighthouse once."""
    command = [str(shutil.which("lighthouse")), address, "--quiet", "--output=json", f"--chrome-flags={FLAGS}"]
    command += [f"--only-categories={','.join(CATEGORIES)}", f"--throttling.cpuSlowdownMultiplier={slowdown}"]
    command += ["--preset=desktop"] if device == "desktop" else []
    environment = {**os.environ, "CHROME_PATH": chromium()}
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=environment, timeout=300)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def main() -> None:
    """Print the median scores of each page on each device."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", nargs="*", default=PAGES, help="such as book/attention.html")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    if shutil.which("lighthouse") is None:
        sys.exit("there is no command lighthouse: npm install --global lighthouse")
    with served(HTML, Compressing) as address:
        index = report(f"{address}/{options.pages[0]}", "desktop", 1.0)["environment"]["benchmarkIndex"]
        phone = min(SLOWDOWN, max(1.0, SLOWDOWN * index / FAST_DESKTOP))
        print(f"index of this processor {index:.0f}; a phone is {phone:.2f} times slower\n{'':36}", *CATEGORIES)
        for page in options.pages:
            for device, slowdown in (("mobile", phone), ("desktop", 1.0)):
                runs = [report(f"{address}/{page}", device, slowdown)["categories"] for _ in range(options.runs)]
                scores = {name: statistics.median(run[name]["score"] for run in runs) for name in CATEGORIES}
                print(f"{page:27} {device:8}", *(f"{score:{len(name)}.2f}" for name, score in scores.items()))


if __name__ == "__main__":
    main()
