"""Laws of kernels that are copies of a warm process: they are warm, apart from each other, and end as others do."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from multiprocessing import forkserver
from pathlib import Path

import nbformat
import pytest
import warm
from jupyter_client.provisioning import KernelProvisionerFactory
from nbclient import NotebookClient
from nbclient.exceptions import CellTimeoutError, DeadKernelError

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere kernels start as Jupyter starts them")
LIBRARY = "colorsys"  # small, and nothing that a kernel imports by itself


@pytest.fixture(autouse=True)
def use(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[None]:
    if "in_earnest" not in request.fixturenames:
        monkeypatch.setattr(warm, "LIBRARIES", [LIBRARY])
    monkeypatch.setattr(KernelProvisionerFactory, "provisioners", dict(KernelProvisionerFactory.provisioners))
    monkeypatch.setenv("MPLBACKEND", "agg")
    KernelProvisionerFactory.clear_instance()
    forkserver._forkserver._stop()  # that of another test has not imported this
    warm.use()
    yield
    forkserver._forkserver._stop()
    KernelProvisionerFactory.clear_instance()


def printed(folder: Path, *codes: str, **options: float | str) -> list[str]:
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code) for code in codes])
    NotebookClient(notebook, resources={"metadata": {"path": str(folder)}}, **options).execute()
    return ["".join(output.get("text", "") for output in cell.outputs).strip() for cell in notebook.cells]


def test_a_kernel_has_the_libraries_and_starts_in_its_folder(tmp_path: Path) -> None:
    seen = printed(tmp_path, f"import os, sys; print('{LIBRARY}' in sys.modules)", "print(os.getcwd())")
    assert seen == ["True", str(tmp_path)]


@pytest.fixture
def in_earnest() -> None:
    """Ask for what kernels of chapters begin with."""


def test_a_kernel_has_read_the_courses_text_and_finds_what_others_find(tmp_path: Path, in_earnest: None) -> None:
    code = "import sys; from linebyline import corpora; print(corpora.docstrings_split.cache_info().currsize)"
    paths = "print(*(path for path in sys.path if path.endswith('_ext')))"
    assert printed(tmp_path, code, paths) == ["1", ""]


def test_what_one_kernel_changes_no_other_sees(tmp_path: Path) -> None:
    code = f"import os, {LIBRARY}; print(hasattr({LIBRARY}, 'mark'), os.environ.get('MARK'))"
    change = f"{LIBRARY}.mark = os.environ['MARK'] = 'here'"
    assert printed(tmp_path, code, change, code) == ["False None", "", "True here"]
    assert printed(tmp_path, code) == ["False None"]


def test_a_kernel_has_the_environment_of_whoever_starts_it_and_shows_plots(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = "import os; print(os.environ.get('MARK'), os.environ['MPLBACKEND'])"
    monkeypatch.setenv("MARK", "first")
    assert printed(tmp_path, code) == [f"first {warm.PLOTS}"]
    monkeypatch.setenv("MARK", "later")
    assert printed(tmp_path, code) == [f"later {warm.PLOTS}"]
    monkeypatch.delenv("MARK")
    assert printed(tmp_path, code) == [f"None {warm.PLOTS}"]


@pytest.mark.parametrize("how", ["graceful", "immediate"])
def test_what_a_kernel_has_started_ends_with_it(tmp_path: Path, how: str) -> None:
    (pid,) = printed(tmp_path, "import subprocess; print(subprocess.Popen(['sleep', '60']).pid)", shutdown_kernel=how)
    status = Path(f"/proc/{pid}/stat")
    assert not status.exists() or ") Z " in status.read_text()


def test_a_copy_is_asked_what_jupyter_asks_a_process() -> None:
    copied = warm.Copied(target=time.sleep, args=(60,))
    copied.start()
    assert copied.poll() is None
    copied.send_signal(signal.SIGTERM)
    assert copied.wait() == copied.poll() == -signal.SIGTERM


def test_a_kernel_that_dies_is_noticed(tmp_path: Path) -> None:
    with pytest.raises(DeadKernelError):
        printed(tmp_path, "import os; os._exit(3)")


def test_a_cell_that_takes_too_long_is_stopped(tmp_path: Path) -> None:
    with pytest.raises(CellTimeoutError):
        printed(tmp_path, "import time; time.sleep(60)", timeout=1)
    on = {"timeout": 1, "interrupt_on_timeout": True, "allow_errors": True}
    assert printed(tmp_path, "import time; time.sleep(60)", "print('on')", **on)[1] == "on"


def test_elsewhere_nothing_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    KernelProvisionerFactory.clear_instance()
    KernelProvisionerFactory.provisioners.pop("warm")
    monkeypatch.setattr(sys, "platform", "darwin")
    before = dict(os.environ)
    warm.use()
    assert "warm" not in KernelProvisionerFactory.instance().provisioners
    assert KernelProvisionerFactory.instance().default_provisioner_name == "local-provisioner"
    assert dict(os.environ) == before
