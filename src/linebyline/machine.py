"""The machine that something was measured on: its processor by name, its cores, its system."""

import os
import platform
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any


def machine(packages: Iterable[str]) -> dict[str, Any]:
    """Say what figures depend on: processor, cores, system, Python and the versions of some packages."""
    return {
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "packages": {package: version(package) for package in packages},
    }


def _processor() -> str:
    """The model of the processor, without the machine's name; family and number, as a virtual one may say no more."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    facts = dict(reversed([(key.strip(), value.strip()) for key, _, value in (line.partition(":") for line in lines)]))
    if "model name" not in facts:
        return platform.machine()
    number = f" (family {facts['cpu family']}, model {facts['model']})" if "cpu family" in facts else ""
    return facts["model name"] + number
