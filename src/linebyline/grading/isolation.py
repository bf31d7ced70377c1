"""Where a worker runs: in Docker, in bubblewrap, or, if that is what was asked for, beside everything else.

Each kind is tried before it is used, and none silently replaces another. ``none`` is for who asks for it, and every
result says so.
"""

import json
import os
import shutil
import site
import subprocess
import sys
import sysconfig
import uuid
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import clearformer
import linebyline
from linebyline.grading.limits import Limits, processes_of_user

KINDS = ("docker", "bwrap", "none")
NOT_STOPPED = ("takes the solution from the course",)  # what gets points with ``none``
DOCKER_IMAGE = "clearformer-worker"  # made by `make image`
NOBODY = 65534
_COURSE = (
    "exercises/core/memory.py",
    "exercises/core/on_copies.py",
    "grading/messages.py",
    "grading/peer.py",
    "grading/protocol.py",
    "grading/worker.py",
)
_START = "import sys; sys.path.insert(0, {library!r}); from linebyline.grading.worker import main; main()"


class IsolationError(RuntimeError):
    """A kind of isolation was asked for that this machine does not have."""


@dataclass(frozen=True)
class Found:
    """Whether a kind of isolation works here, and if not, why."""

    kind: str
    works: bool
    why: str


def strip_package(folder: Path) -> Path:
    """Copy the library, and of the course only the few files that a worker is made of.

    Args:
        folder: An empty folder; others may read it.

    Returns:
        The folder to import from.
    """
    shutil.copytree(Path(clearformer.__file__).parent, folder / "clearformer")
    course, copy = Path(linebyline.__file__).parent, folder / "linebyline"
    for name in _COURSE:
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(course / name, copy / name)
    for name in ("", "exercises/core", "grading"):
        (copy / name / "__init__.py").touch()
    shutil.copy2(course / "grading/recorded.py", copy / "exercises/__init__.py")
    folder.chmod(0o755)
    return folder


def command(kind: str, folder: Path, limits: Limits) -> list[str]:
    """Return the command that starts a worker.

    Args:
        kind: ``"docker"``, ``"bwrap"`` or ``"none"``.
        folder: What ``strip_package`` made.
        limits: What the worker may take.
    """
    root = os.getuid() == 0
    # A user of its own for each judge, so that one's processes are not counted as another's.
    user = 2**16 + os.getpid() if kind == "bwrap" and root else None
    now = processes_of_user() if kind == "none" else 0
    told = json.dumps({"limits": limits.for_worker(now), "user": user})
    inside = "/library" if kind != "none" else str(folder)
    python = "python" if kind == "docker" else sys.executable
    worker = [python, "-I", "-B", "-c", _START.format(library=inside), told]
    match kind:
        case "docker":
            return [*_docker(folder, limits), *worker]
        case "bwrap":
            return [*_bwrap(folder, root), *worker]
        case "none":
            return worker
    raise IsolationError(f"expected one of {', '.join(KINDS)} as isolation, got {kind!r}")


def _bwrap(folder: Path, root: bool) -> list[str]:
    apart = ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
    # Root leaves its rights inside, when the worker becomes a user of its own; others have none to begin with.
    rights = ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"] if root else []
    nobody = [] if root else ["--unshare-user", "--uid", str(NOBODY), "--gid", str(NOBODY)]
    mounted = [
        *_option("proc", "/proc"),
        *_option("dev", "/dev"),
        *("--perms", "1777", "--size", str(64 * 2**20), *_option("tmpfs", "/tmp")),
        *_libraries(),
        *_option("ro-bind", str(folder), "/library"),
        *_option("remount-ro", "/"),
    ]
    told = [part for name, value in environment().items() for part in _option("setenv", name, value)]
    return [
        *("bwrap", "--die-with-parent", "--new-session", *apart, *nobody, "--cap-drop", "ALL", *rights),
        *(*mounted, "--clearenv", *told, "--chdir", "/tmp", "--"),
    ]


def _option(name: str, *values: str) -> list[str]:
    return [f"--{name}", *values]


def _libraries() -> list[str]:
    """Show the system's folders, and hide the course of a package that was installed among them."""
    folders = _system()
    above = sorted({str(parent) for path in folders for parent in Path(path).parents})
    course = str(Path(linebyline.__file__).parent)
    shown = [
        # Others than root must get through the folders above, whose own rights are not taken over.
        *(part for path in above if path != "/" for part in ("--perms", "0755", *_option("dir", path))),
        *(part for path in folders for part in _option("ro-bind", path, path)),
        *(part for name in ("bin", "lib", "lib64", "sbin") for part in _link(Path("/", name))),
    ]
    if any(map(Path(course).is_relative_to, folders)):
        shown += ["--perms", "0755", *_option("tmpfs", course), *_option("remount-ro", course)]
    return shown


def _system() -> list[str]:
    """Name the folders that Python and its libraries need, none of which is inside another."""
    wanted = ["/usr", "/etc/ld.so.cache", "/etc/alternatives", sys.base_prefix, sys.prefix, *site.getsitepackages()]
    wanted += [sysconfig.get_path("stdlib"), str(Path(sys.executable).resolve().parent)]
    paths = sorted({path for path in wanted if Path(path).exists()})
    return [path for path in paths if not any(path != other and Path(path).is_relative_to(other) for other in paths)]


def _link(path: Path) -> list[str]:
    if path.is_symlink():
        return ["--symlink", str(path.readlink()), str(path)]
    return ["--ro-bind", str(path), str(path)] if path.exists() else []


def _docker(folder: Path, limits: Limits) -> list[str]:
    told = [option for name, value in environment().items() for option in ("--env", f"{name}={value}")]
    return [
        *(
            "docker",
            "run",
            "--name",
            f"{DOCKER_IMAGE}-{uuid.uuid4().hex}",
            "--rm",
            "--interactive",
            "--pull",
            "never",
            "--network",
            "none",
            "--read-only",
            "--init",
        ),
        *("--user", f"{NOBODY}:{NOBODY}", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"),
        *("--pids-limit", str(limits.processes), "--memory", str(limits.data_bytes), "--tmpfs", "/tmp:size=64m"),
        *("--volume", f"{folder}:/library:ro", "--workdir", "/tmp", *told, DOCKER_IMAGE),
    ]


def environment() -> dict[str, str]:
    """Return all that a worker is told of its surroundings."""
    one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": "/tmp", "MPLBACKEND": "Agg", **one}


@cache
def probe(kind: str) -> Found:
    """Try a kind of isolation: start what a worker needs in it."""
    if kind == "none":
        return Found(kind, True, "no isolation: a submission can do what you can")
    if shutil.which(kind) is None:
        return Found(kind, False, f"there is no command {kind}")
    line = command(kind, Path(os.devnull).parent, Limits())
    start = line.index("-c")
    try:
        done = subprocess.run(
            [*line[:start], "-c", "import numpy"],
            capture_output=True,
            text=True,
            timeout=60,
            env=surroundings(kind),
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Found(kind, False, f"it could not be started: {type(error).__name__}")
    said = done.stderr.strip().splitlines()
    if done.returncode == 0:
        return Found(kind, True, "it works")
    hint = f" (make image builds {DOCKER_IMAGE})" if DOCKER_IMAGE in done.stderr else ""
    return Found(kind, False, (said or ["it failed"])[-1][:200] + hint)


def surroundings(kind: str) -> dict[str, str]:
    """Return the environment of the command itself; what Docker and bubblewrap start gets ``environment`` alone."""
    if kind == "none":
        return environment()
    names = ("PATH", "HOME", "DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG")
    return {name: os.environ[name] for name in names if name in os.environ}


def choose(kind: str) -> str:
    """Return the kind of isolation to use: for ``"auto"`` Docker, or else bubblewrap, whichever works.

    Raises:
        IsolationError: it does not work here; ``"auto"`` never means ``"none"``.
    """
    if kind != "auto" and kind not in KINDS:
        raise IsolationError(f"expected auto, {', '.join(KINDS)} as isolation, got {kind!r}")
    tried = [probe(name) for name in (("docker", "bwrap") if kind == "auto" else (kind,))]
    for found in tried:
        if found.works:
            return found.kind
    said = "; ".join(f"{found.kind}: {found.why}" for found in tried)
    raise IsolationError(f"no isolation works here ({said}); 'none' runs submissions with your own rights")
