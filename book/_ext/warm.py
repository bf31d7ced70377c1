"""Kernels that start at once: each is a copy of a process that has imported the libraries, made where Linux can."""

import multiprocessing
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import EntryPoint
from multiprocessing import forkserver
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any

from ipykernel.kernelapp import IPKernelApp
from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.provisioning import KernelProvisionerFactory, LocalProvisioner

HERE = str(Path(__file__).parent)
LIBRARIES = ["preloaded", "ipykernel.kernelapp", "jupyter_client"]  # the last two are what a kernel itself needs
PLOTS = "module://matplotlib_inline.backend_inline"  # what a kernel asks for before Matplotlib is imported


class Copied(ForkServerProcess):
    """A process of multiprocessing that can be asked what Jupyter asks one of subprocess."""

    stdin = stdout = stderr = None

    def poll(self) -> int | None:
        """The exit code, or None as long as it runs."""
        return self.exitcode

    def wait(self) -> int | None:
        """Wait for the end."""
        self.join()
        return self.exitcode

    def send_signal(self, number: int) -> None:
        """Send a signal to this process alone."""
        assert self.pid is not None
        os.kill(self.pid, number)


class Warm(LocalProvisioner):
    """Starts a kernel as a copy of the process that is warm; all else is as Jupyter does it."""

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> KernelConnectionInfo:
        """Start the kernel; the command says only where its connection file is."""
        process = Copied(target=serve, args=(cmd[cmd.index("-f") + 1], kwargs.get("cwd"), kwargs["env"]))
        process.start()
        self.process, self.pid, self.pgid = process, process.pid, process.pid
        return self.connection_info


def serve(file: str, folder: str | None, environment: Mapping[str, str]) -> None:
    """Be a kernel with a session of its own, so that it ends together with all that it has started."""
    os.setsid()
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder or ".")
    sys.path[:] = [path for path in sys.path if path != HERE]  # which a kernel elsewhere does not find either
    IPKernelApp.launch_instance(["-f", file, f"--IPKernelApp.parent_handle={os.getppid()}", "--log-level=ERROR"])


@contextmanager
def _found_here() -> Iterator[None]:
    """Let a process that starts now find the modules beside this one."""
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [HERE, before]))
    try:
        yield
    finally:
        del os.environ["PYTHONPATH"]
        os.environ.update({"PYTHONPATH": before} if before is not None else {})


def use() -> None:
    """Start the kernels of this process so, from now on; elsewhere than on Linux nothing changes."""
    factory = KernelProvisionerFactory.instance()
    if sys.platform != "linux" or "warm" in factory.provisioners:
        return
    os.environ["MPLBACKEND"] = PLOTS
    multiprocessing.set_forkserver_preload(LIBRARIES)
    with _found_here():
        forkserver.ensure_running()
    factory.provisioners["warm"] = EntryPoint("warm", f"{__name__}:{Warm.__name__}", factory.GROUP_NAME)
    factory.default_provisioner_name = "warm"
