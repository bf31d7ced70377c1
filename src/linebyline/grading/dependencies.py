"""Program slicing: the statements that a name depends on, and what they use of other packages.

A change that a function makes to its arguments is not seen; ``table.append(row)`` and ``table[key] = row`` are.
"""

import ast
import builtins
import symtable
from collections.abc import Iterable, Iterator, Sequence

IMPORTS = (ast.Import, ast.ImportFrom)
NESTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
SHORT = {"clearformer.functional": "F", "numpy": "np"}
# Through these, code can reach a name that does not appear in it.
HIDDEN = {"eval", "exec", "compile", "getattr", "globals", "vars", "__import__", "open"}


def needed(statements: Sequence[ast.stmt], names: Iterable[str]) -> list[ast.stmt]:
    r"""Return the top-level statements that bind or change some names, and those that these need in turn, in order.

    Calls that only print or plot are not among them.

    Example:
        >>> body = ast.parse("import math\ndef f(x): return g(x)\nprint(f)\ndef g(x): return math.pi * x\ny = 1").body
        >>> [ast.unparse(statement).split("(")[0] for statement in needed(body, ["f"])]
        ['import math', 'def f', 'def g']
    """
    imported = bound(*(statement for statement in statements if isinstance(statement, IMPORTS)))
    # A call on a package, such as plt.show(), changes no name.
    binds = [bound(part) - (imported if isinstance(part, ast.Expr) else set()) for part in statements]
    uses = [mentioned(statement) for statement in statements]
    wanted, kept = {*names, "*"}, set[int]()  # what a star import binds is not known
    while found := {i for i, names in enumerate(binds) if i not in kept and names & wanted}:
        kept |= found
        for i in found:
            wanted |= uses[i]
    return [statements[i] for i in sorted(kept)]


def bound(*statements: ast.stmt) -> set[str]:
    """Return the names that top-level statements bind, or whose value they may change."""
    return {name for statement in statements for name in _bound(statement)}


def _bound(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, NESTED):
        yield statement.name
        return
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        function = statement.value.func
        if isinstance(function, ast.Attribute):  # as in table.append(row)
            yield from _base(function.value)
        return
    for node in ast.walk(statement):
        if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Store):
            yield from _base(node)
        elif isinstance(node, ast.alias):
            yield node.asname or node.name.split(".")[0]
        elif isinstance(node, NESTED):
            yield node.name


def mentioned(*statements: ast.stmt) -> set[str]:
    """Return the top-level names that statements refer to; local names of functions are not among them."""
    tables = [symtable.symtable(ast.unparse(ast.Module(list(statements), [])), "cell", "exec")]
    found = set()
    while tables:
        table = tables.pop()
        outermost = table.get_type() == "module"
        symbols = (symbol for symbol in table.get_symbols() if symbol.is_referenced())
        found |= {symbol.get_name() for symbol in symbols if outermost or symbol.is_global()}
        tables += table.get_children()
    return found


def _base(node: ast.expr) -> Iterator[str]:
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    if isinstance(node, ast.Name):
        yield node.id


def used(statements: Iterable[ast.stmt]) -> list[str]:
    r"""Return the dotted names that statements use of other packages, and functions that can reach other names.

    They are sorted, with ``F`` for ``clearformer.functional`` and ``np`` for ``numpy``.

    Example:
        >>> used(ast.parse("from clearformer import functional as G\nimport numpy\ny = G.softmax(numpy.exp(x))").body)
        ['F.softmax', 'np.exp']
    """
    tree = ast.Module(list(statements), [])
    origin, found = dict(_imports(tree)), set()
    inner = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        if isinstance(node, (ast.Attribute, ast.Name)) and id(node) not in inner:
            name = dotted(node)
            first, _, rest = name.partition(".")
            if first in origin:
                found.add(shortened(".".join(filter(None, [origin[first], rest]))))
            elif first in HIDDEN:
                found.add(first)
    stars = [module for name, module in origin.items() if name.startswith("*")]
    loose = mentioned(*tree.body) - bound(*tree.body) - set(dir(builtins)) - set(origin) if stars else set()
    return sorted(found | {shortened(f"{module}.{name}") for module in stars for name in loose})


def _imports(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield each imported name with the dotted name it refers to; a star with its module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.asname or alias.name.split(".")[0]
                yield name, alias.name if alias.asname else name
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if alias.name == "*":
                    yield f"*{node.module}", node.module or ""
                else:
                    yield alias.asname or alias.name, f"{node.module}.{alias.name}"


def dotted(node: ast.expr) -> str:
    """Return ``a.b.c`` as text; empty if the expression is another."""
    text = ast.unparse(node)
    return text if all(map(str.isidentifier, text.split("."))) else ""


def shortened(name: str) -> str:
    """Abbreviate a dotted name as the chapters do: ``clearformer.functional.softmax`` to ``F.softmax``."""
    for long, short in SHORT.items():
        if f"{name}.".startswith(f"{long}."):
            return short + name.removeprefix(long)
    return name


def within(name: str, allowed: Iterable[str]) -> bool:
    """Whether a used name is one of some names, or is inside one of them, as ``np.linalg.norm`` is in ``numpy``."""
    return any(f"{name}.".startswith(f"{short}.") for short in map(shortened, allowed))
