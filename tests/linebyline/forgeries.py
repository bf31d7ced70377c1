"""Submissions that want points without an answer, or to do harm: by name, the exercise and the code."""

from textwrap import indent

AVERAGE = "attention.weighted_average"
ASKS = "search.best_first"
STREAM = "attention_cost.stream"

# The answer that a forgery is to make pass.
ZEROS = """
import builtins, gc, inspect, os, signal, struct, sys, threading, time
import numpy as np

def weighted_average(weights, values):
    return np.zeros(values.shape[1:])
"""
# How code of a submission finds the pipe to the judge.
PEER = """
def peer():
    frame = sys._getframe()
    while frame is not None:
        found = frame.f_locals.get("self")
        if type(found).__name__ == "Peer":
            return found
        frame = frame.f_back
"""


def _at_load(code: str) -> tuple[str, str]:
    return AVERAGE, f"{ZEROS}{PEER}{code}"


def _in_call(body: str) -> tuple[str, str]:
    """Run the body in a call, and return zeros where it comes to its end."""
    code = indent(f"{body.strip()}\nreturn np.zeros(values.shape[1:])", "    ")
    return AVERAGE, f"{ZEROS}{PEER}\ndef weighted_average(weights, values):\n{code}\n"


def _asks(body: str) -> tuple[str, str]:
    return ASKS, f"import numpy as np\ndef best_first(ask, stop):\n{indent(body.strip(), '    ')}\n"


# What was tried on the check that a reader calls in the own process.
REPLACED = {
    "replaces check": _at_load("import linebyline.exercises as e\ne.check = lambda *a, **k: 'passed'"),
    "replaces the registry": _at_load("import linebyline.exercises as e\ne.registry = lambda: {}"),
    "replaces what laws compare with": _at_load(
        "from contextlib import suppress\nwith suppress(ImportError, AttributeError):\n"
        "    from linebyline.exercises import core\n"
        "    core.expect.expect_close = core.laws.Law.test = core.Report.passed = lambda *a, **k: True"
    ),
    "replaces np.isclose": _at_load("np.isclose = lambda *a, **k: np.bool_(True)"),
    "replaces np.asarray": _at_load("np.asarray = lambda value, *a, **k: np.zeros(2)"),
    "replaces AssertionError": _at_load("builtins.AssertionError = type('Quiet', (Exception,), {})"),
    "replaces isinstance": _at_load("builtins.isinstance = lambda *a: True"),
    "replaces the worker's own functions": _at_load(
        "worker = sys.modules['linebyline.grading.worker']\n"
        "worker.Program.call = lambda self, *a: (True, [])\nworker.OnCopies = lambda answer: None"
    ),
    "answers to check with a report": _at_load(
        "from linebyline.exercises import check\n"
        "check('attention.weighted_average', type('Report', (), {'passed': True, 'points': 1})())"
    ),
}
# The right answer, but for one fault: it changes its argument. Each replaces what could tell.
IN_PLACE = """
def weighted_average(weights, values):
    if not weights.any():
        raise ValueError
    weights /= weights.sum()
    return weights @ values
"""
CHANGED_IN_PLACE = {
    f"changes an argument, and replaces {name}": (
        AVERAGE,
        f"import builtins, copy\nimport numpy as np\n{code}\n{IN_PLACE}",
    )
    for name, code in {
        "nothing": "",
        "np.array_equal": "np.array_equal = lambda *a, **k: True",
        "np.ndarray": "np.ndarray = type('ndarray', (), {})",
        "callable": "builtins.callable = lambda thing: True",
        "enumerate": "builtins.enumerate = lambda *a, **k: iter(())",
        "the names of the module that copies": (
            "import sys\nmodule = sys.modules['linebyline.exercises.core.on_copies']\nmodule.np = module.numpy = None\n"
            "import numpy._core.numeric as numeric\nnumeric.array_equal = lambda *a, **k: True"
        ),
    }.items()
}
LOOKED_UP = {
    "reads what is expected from the caller's frame": _in_call("""
frame = sys._getframe()
while frame is not None:
    for name in ("expected", "right", "values_expected"):
        if name in frame.f_locals:
            return frame.f_locals[name]
    frame = frame.f_back"""),
    "reads what is expected from the stack": _in_call("""
for entry in inspect.stack():
    if "expected" in entry.frame.f_locals:
        return entry.frame.f_locals["expected"]"""),
    "looks for the laws among all objects": _in_call("""
for found in gc.get_objects():
    if type(found).__name__ == "Law":
        object.__setattr__(found, "test", lambda *a: None)"""),
    "reads the closure of a function it was given": _asks("""
cells = ask.__closure__ or ()
found = [cell.cell_contents for cell in cells]
tree = next((item for item in found if isinstance(item, dict)), {})
return (list(max(tree, key=tree.get)), 0.0) if tree else ([0], 0.0)"""),
    "asks the judge for its operations": _in_call("""
refusals = []
for target in ("load", "value", "results", -1, 0, 10**9):
    try:
        return peer().ask(target, "attention.weighted_average", "")
    except Exception as refusal:
        refusals.append(refusal)"""),
}
ENDED = {
    "ends the process in the call": _in_call("os._exit(0)"),
    "ends the process at once": _at_load("os._exit(0)"),
    "exits in the call": _in_call("sys.exit(0)"),
    "exits at once": _at_load("sys.exit(0)"),
    "raises KeyboardInterrupt": _in_call("raise KeyboardInterrupt"),
    "raises GeneratorExit": _in_call("raise GeneratorExit"),
    "raises StopIteration": _in_call("raise StopIteration"),
    "raises what a refusal should raise, always": _in_call("raise ValueError('refused')"),
    "raises an error that cannot be shown": _in_call(
        "raise type('Bad', (ValueError,), {'__str__': lambda self: 1 / 0, '__repr__': lambda self: 1 / 0})()"
    ),
    "leaves something for the end of the process": _at_load("import atexit\natexit.register(lambda: os._exit(0))"),
    "forks, and the child answers as well": _in_call("os.fork()"),
    "forks, and the parent ends": _in_call("if os.fork():\n    os._exit(0)"),
    "kills itself": _in_call("os.kill(os.getpid(), signal.SIGKILL)"),
    "closes the pipe": _in_call("os.closerange(0, 100)"),
    "interrupts its parent": _in_call("os.kill(os.getppid(), signal.SIGALRM)"),
}
PRETENDED = {
    "returns an object that equals everything": _in_call(
        "return type('Equal', (), {'__eq__': lambda *a: True, '__array__': lambda self, *a, **k: 1 / 0})()"
    ),
    "returns an array with functions of its own": _in_call("""
class Close(np.ndarray):
    def __array_function__(self, *a, **k):
        return np.bool_(False)
    def __array_ufunc__(self, *a, **k):
        return np.bool_(False)
return np.zeros(values.shape[1:]).view(Close)"""),
    "returns an object that unpickles to harm": _in_call(
        "return type('Harm', (), {'__reduce__': lambda self: (os._exit, (0,))})()"
    ),
    "returns text that looks right": _in_call("return '[6. 1.]'"),
    "returns not a number": _in_call("return np.full(values.shape[1:], np.nan)"),
    "returns a function": _in_call("return lambda *a: True"),
    "returns a list in itself": _in_call("found = []\nfound.append(found)\nreturn found"),
    "returns lists a thousand deep": _in_call("found = []\nfor _ in range(1000):\n    found = [found]\nreturn found"),
    "returns a number of ten thousand digits": _in_call("return 10**10000"),
    "returns an endless generator": (
        STREAM,
        "import itertools\ndef logsumexp_of_stream(blocks):\n    return itertools.count()",
    ),
    "returns 240 MB": _in_call("return np.zeros(30_000_000)"),
    "swallows what a function refuses": _asks("""
for path in ([1] * 100, [], [1]):
    try:
        ask(path)
    except BaseException:
        pass
return [1, 0], float(np.log(0.42))"""),
}
FRAMES = {
    "writes noise into the pipe": _in_call("os.write(peer()._writes, os.urandom(64))"),
    "announces a message of an exabyte": _in_call(
        "os.write(peer()._writes, (2**60).to_bytes(8, 'big'))\ntime.sleep(60)"
    ),
    "announces a message and does not send it": _in_call(
        "os.write(peer()._writes, (2**20).to_bytes(8, 'big'))\ntime.sleep(60)"
    ),
    "answers questions before they are asked": _in_call("""
for number in range(1, 400):
    peer()._send(["value", number, ["tuple", [True, ["list", []]]], False])"""),
    "answers with what nobody packs": _in_call('peer()._send(["value", 1, ["eval", "1"], False])\ntime.sleep(60)'),
    "says that it changed argument 10**9": _in_call("""
end = peer()
end._send(["value", 3, ["tuple", [["array", "<f8", [1], "AAAAAAAAAAA="], ["list", [10**9]]]], False])"""),
    "asks the judge without end": _in_call("""
while True:
    try:
        peer().ask(0)
    except Exception as refusal:
        last = refusal"""),
}
GREEDY = {
    "loops": _in_call("while True:\n    pass"),
    "loops at once": _at_load("while True:\n    pass"),
    "sleeps": _in_call("time.sleep(1000)"),
    "stops itself": _in_call("os.kill(os.getpid(), signal.SIGSTOP)"),
    "asks a function for ever": _asks(
        "while True:\n    try:\n        ask([])\n    except BaseException:\n        pass"
    ),
    "takes all memory": _in_call("found = []\nwhile True:\n    found.append(np.ones(10_000_000))"),
    "writes a large file": _in_call(
        "import tempfile\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\nwith tempfile.TemporaryFile() as file:\n"
        "    for _ in range(64):\n        file.write(bytes(2**20))"
    ),
    "opens files without end": _in_call("found = []\nwhile True:\n    found.append(open(os.devnull))"),
}
# Root may have any number of processes, so without isolation this one is not tried.
BOMB = {"forks without end": _in_call("while True:\n    try:\n        os.fork()\n    except OSError:\n        pass")}
FORGERIES = REPLACED | CHANGED_IN_PLACE | LOOKED_UP | ENDED | PRETENDED | FRAMES | GREEDY

# These look for the course where the package was installed. Without isolation they find it.
FROM_DISK = {
    "takes the solution from the course": """
import sys
for name in [name for name in sys.modules if name.startswith(("clearformer", "linebyline"))]:
    del sys.modules[name]
sys.path.insert(0, {source!r})
from linebyline.exercises import registry
softmax = registry()["attention.softmax"].fixed
"""
}

# Functions that say "LEAK" if they get where they must not.
LEAKS = {
    "writes to a library": "import numpy; open(numpy.__file__, 'a').close(); leak()",
    "writes to the package": "import clearformer; open(clearformer.__file__, 'a').close(); leak()",
    "reads the course": "open({source!r} + '/linebyline/chapters.py').read(); leak()",
    "reads a file of another": "open({other!r}).read(); leak()",
    "writes a file of another": "open({other!r}, 'a').close(); leak()",
    "sees the judge": "import os, glob; len(glob.glob('/proc/[0-9]*')) > 8 and leak()",
    "reads the judge's memory": "import os; open(f'/proc/{{os.getppid()}}/mem', 'rb').read(1); leak()",
    "calls home": "import socket; socket.create_connection(({host!r}, {port}), timeout=2); leak()",
    "is root": "import os; 0 in (os.getuid(), os.geteuid()) and leak()",
    "becomes root": "import os; os.setuid(0); leak()",
    "reads who there is": "open('/etc/shadow').read(); leak()",
    "finds the seed": "import os; b'987654' in open(f'/proc/{{os.getppid()}}/cmdline', 'rb').read() and leak()",
}
