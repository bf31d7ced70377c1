"""Where submissions run: in Docker, in bubblewrap or, only on request, without isolation; and what they may use.

Each kind is tried before it is used, and none silently replaces another. In bubblewrap started by root each worker
becomes a user of its own, because root may have any number of processes.
"""

import json
import os
import shutil
import site
import subprocess
import sys
import sysconfig
import uuid
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import clearformer
import linebyline

KINDS = ("docker", "bwrap", "none")
NOT_STOPPED = ("takes the solution from the course",)  # the forgeries that get points with ``none``
DOCKER_IMAGE = "clearformer-worker"  # made by `make image`
NOBODY = 65534
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
WORKER_ENVIRONMENT = ONE_THREAD | {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": "/tmp"}
WORKER_ENVIRONMENT["MPLBACKEND"] = "Agg"
_WORKER_FILES = [f"exercises/core/{name}.py" for name in ("memory", "on_copies")]
_WORKER_FILES += [f"grading/{name}.py" for name in ("peer", "protocol", "worker")]
_START = "import sys; sys.path.insert(0, {library!r}); from linebyline.grading.worker import main; main()"


class IsolationError(RuntimeError):
    """The requested kind of isolation does not work on this machine."""


@dataclass(frozen=True)
class Limits:
    """The limits of a worker."""

    law_seconds: float = 10.0
    load_seconds: float = 60.0
    cpu_seconds: int = 300
    data_bytes: int = 2 * 2**30  # of memory that is written to; PyTorch maps more than it uses
    file_bytes: int = 8 * 2**20
    open_files: int = 128
    processes: int = 64
    restarts: int = 20

    def for_worker(self, processes_now: int) -> dict[str, int]:
        """Return the limits that the system enforces, by their names in ``resource``."""
        sizes = {"CPU": self.cpu_seconds, "DATA": self.data_bytes, "FSIZE": self.file_bytes, "CORE": 0}
        counts = {"NOFILE": self.open_files, "NPROC": processes_now + self.processes}
        return {f"RLIMIT_{name}": value for name, value in (sizes | counts).items()}


def _threads_of_user() -> int:
    """Count the threads of this user, since the system counts them against the limit on processes."""
    count = 0
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended meanwhile
            count += len(list((process / "task").iterdir())) if process.stat().st_uid == os.getuid() else 0
    return count


def strip_package(folder: Path) -> Path:
    """Copy the library, and of the course only the files that a worker needs, into an empty folder; return it."""
    shutil.copytree(Path(clearformer.__file__).parent, folder / "clearformer")
    course, target = Path(linebyline.__file__).parent, folder / "linebyline"
    for name in _WORKER_FILES:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(course / name, target / name)
    for name in ("", "exercises/core", "grading"):
        (target / name / "__init__.py").touch()
    shutil.copy2(course / "grading/recorded.py", target / "exercises/__init__.py")
    folder.chmod(0o755)  # other users must be able to read it
    return folder


def command(kind: str, folder: Path, limits: Limits) -> list[str]:
    """Return the command that starts a worker with the package that ``strip_package`` wrote."""
    root = os.getuid() == 0
    # A user of its own for each judge, so that the processes of one are not counted as another's.
    user = 2**16 + os.getpid() if kind == "bwrap" and root else None
    settings = json.dumps({"limits": limits.for_worker(_threads_of_user() if kind == "none" else 0), "user": user})
    library = str(folder) if kind == "none" else "/library"
    python = "python" if kind == "docker" else sys.executable
    worker = [python, "-I", "-B", "-c", _START.format(library=library), settings]
    return [*{"docker": _docker, "bwrap": _bwrap, "none": lambda *_: []}[kind](folder, limits), *worker]


def _docker(folder: Path, limits: Limits) -> list[str]:
    settings = [part for name, value in WORKER_ENVIRONMENT.items() for part in ("--env", f"{name}={value}")]
    return [
        *("docker", "run", "--name", f"{DOCKER_IMAGE}-{uuid.uuid4().hex}"),
        *("--rm", "--interactive", "--pull", "never", "--network", "none", "--read-only", "--init"),
        *("--user", f"{NOBODY}:{NOBODY}", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"),
        *("--pids-limit", str(limits.processes), "--memory", str(limits.data_bytes), "--tmpfs", "/tmp:size=64m"),
        *("--volume", f"{folder}:/library:ro", "--workdir", "/tmp", *settings, DOCKER_IMAGE),
    ]


def _bwrap(folder: Path, limits: Limits) -> list[str]:
    root = os.getuid() == 0
    # Root gives up its rights inside, when the worker becomes another user; others have none to begin with.
    rights = ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"] if root else []
    nobody = [] if root else ["--unshare-user", "--uid", str(NOBODY), "--gid", str(NOBODY)]
    settings = [part for name, value in WORKER_ENVIRONMENT.items() for part in ("--setenv", name, value)]
    return [
        *("bwrap", "--die-with-parent", "--new-session", "--unshare-ipc", "--unshare-pid", "--unshare-net"),
        *("--unshare-uts", "--unshare-cgroup-try", *nobody, "--cap-drop", "ALL", *rights),
        *("--proc", "/proc", "--dev", "/dev"),
        *("--perms", "1777", "--size", str(64 * 2**20), "--tmpfs", "/tmp", *_libraries()),
        *("--ro-bind", str(folder), "/library", "--remount-ro", "/"),
        *("--clearenv", *settings, "--chdir", "/tmp", "--"),
    ]


def _libraries() -> list[str]:
    """Return the options that show the system's folders, and hide a course that is installed among them."""
    folders = _system()
    above = sorted({str(parent) for path in folders for parent in Path(path).parents} - {"/"})
    course = str(Path(linebyline.__file__).parent)
    # Other users than root must get through the folders above, whose own permissions are not kept.
    shown = [part for path in above for part in ("--perms", "0755", "--dir", path)]
    shown += [part for path in folders for part in ("--ro-bind", path, path)]
    for path in map(Path, ("/bin", "/lib", "/lib64", "/sbin")):
        if path.is_symlink():
            shown += ["--symlink", str(path.readlink()), str(path)]
        elif path.exists():
            shown += ["--ro-bind", str(path), str(path)]
    if any(map(Path(course).is_relative_to, folders)):
        shown += ["--perms", "0755", "--tmpfs", course, "--remount-ro", course]
    return shown


def _system() -> list[str]:
    """Return the folders that Python and its libraries need, none of which is inside another."""
    wanted = ["/usr", "/etc/ld.so.cache", "/etc/alternatives", sys.base_prefix, sys.prefix, *site.getsitepackages()]
    wanted += [sysconfig.get_path("stdlib"), str(Path(sys.executable).resolve().parent)]
    paths = sorted({path for path in wanted if Path(path).exists()})
    return [path for path in paths if not any(path != other and Path(path).is_relative_to(other) for other in paths)]


def launcher_environment(kind: str) -> dict[str, str]:
    """Return the environment of the command itself; what Docker and bubblewrap start gets ``WORKER_ENVIRONMENT``."""
    if kind == "none":
        return WORKER_ENVIRONMENT
    names = ("PATH", "HOME", "DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG")
    return {name: os.environ[name] for name in names if name in os.environ}


@cache
def probe(kind: str) -> str:
    """Try a kind of isolation by starting what a worker needs; return why it does not work, or nothing if it does."""
    if kind == "none":
        return ""
    if shutil.which(kind) is None:
        return f"there is no command {kind}"
    line = command(kind, Path(os.devnull).parent, Limits())
    line = [*line[: line.index("-c")], "-c", "import numpy"]
    environment = launcher_environment(kind)
    try:
        done = subprocess.run(line, capture_output=True, text=True, timeout=60, env=environment, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"it could not be started: {type(error).__name__}"
    if done.returncode == 0:
        return ""
    hint = f" (make image builds {DOCKER_IMAGE})" if DOCKER_IMAGE in done.stderr else ""
    return (done.stderr.strip().splitlines() or ["it failed"])[-1][:200] + hint


def choose(kind: str) -> str:
    """Return the kind of isolation to use: for ``"auto"`` Docker or else bubblewrap, and never ``"none"``.

    An IsolationError says why no such isolation works here.
    """
    if kind != "auto" and kind not in KINDS:
        raise IsolationError(f"expected auto, {', '.join(KINDS)} as isolation, got {kind!r}")
    reasons = []
    for tried in ("docker", "bwrap") if kind == "auto" else (kind,):
        if not (reason := probe(tried)):
            return tried
        reasons.append(f"{tried}: {reason}")
    raise IsolationError(f"no isolation works here ({'; '.join(reasons)}); 'none' runs code with your own rights")
