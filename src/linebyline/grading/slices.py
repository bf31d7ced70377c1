"""What a name needs: the statements of a program that it depends on, and what of other packages it uses."""

import ast
import builtins
import symtable
from collections.abc import Iterable, Iterator, Sequence

IMPORTS = (ast.Import, ast.ImportFrom)
NESTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
SHORT = {"clearformer.functional": "F", "numpy": "np"}
# By these a name can be reached that does not appear in the code.
HIDDEN = {"eval", "exec", "compile", "getattr", "globals", "vars", "__import__", "open"}


def needed(statements: Sequence[ast.stmt], names: Iterable[str]) -> list[ast.stmt]:
    r"""Return the statements that bind or change some names, and those that these need in turn.

    Args:
        statements: Those of the outermost level, in order.
        names: What has to be there in the end.

    Returns:
        Some of the statements, in order. Calls that only print or plot are not among them.

    Example:
        >>> body = ast.parse("import math\ndef f(x): return g(x)\nprint(f)\ndef g(x): return math.pi * x\ny = 1").body
        >>> [ast.unparse(statement).split("(")[0] for statement in needed(body, ["f"])]
        ['import math', 'def f', 'def g']
    """
    imported = {name for statement in statements if isinstance(statement, IMPORTS) for name in bound(statement)}
    # What is called on a package, such as plt.show(), changes no name.
    given = [set(bound(part)) - (imported if isinstance(part, ast.Expr) else set()) for part in statements]
    asked = [mentioned(statement) for statement in statements]
    wanted, kept = {*names, "*"}, set[int]()  # what a star brings is not known
    while found := {i for i, binds in enumerate(given) if i not in kept and binds & wanted}:
        kept |= found
        for i in found:
            wanted |= asked[i]
    return [statements[i] for i in sorted(kept)]


def bound(statement: ast.stmt) -> Iterator[str]:
    """Return the names that a statement of the outermost level binds, or whose value it may change."""
    if isinstance(statement, NESTED):
        yield statement.name
        return
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        function = statement.value.func
        if isinstance(function, ast.Attribute):  # as in table.append(row)
            yield from _base(function.value)
        return
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.alias):
            yield node.asname or node.name.split(".")[0]
        elif isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Store):
            yield from _base(node)
        elif isinstance(node, NESTED):
            yield node.name


def mentioned(*statements: ast.stmt) -> set[str]:
    """Return the names that statements of the outermost level take from there; a function's own are not among them."""
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
    r"""Name what statements use of other packages, and calls that can reach what has no name in the code.

    Returns:
        Dotted names, sorted, with ``F`` for ``clearformer.functional`` and ``np`` for ``numpy``.

    Example:
        >>> used(ast.parse("from clearformer import functional as G\nimport numpy\ny = G.softmax(numpy.exp(x))").body)
        ['F.softmax', 'np.exp']
    """
    tree = ast.Module(list(statements), [])
    origin = dict(_imports(tree))
    found = set()
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
    own = {name for statement in tree.body for name in bound(statement)} | set(dir(builtins))
    loose = mentioned(*tree.body) - own - set(origin) if stars else set()
    return sorted(found | {shortened(f"{module}.{name}") for module in stars for name in loose})


def _imports(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Return each imported name with the dotted name it stands for; a star with its module."""
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
    """Write ``a.b.c`` as it is written, from its first name on; what has no first name is empty."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def shortened(name: str) -> str:
    """Write a dotted name as the chapters do.

    Example:
        >>> shortened("clearformer.functional.softmax"), shortened("numpy.linalg"), shortened("torch")
        ('F.softmax', 'np.linalg', 'torch')
    """
    for long, short in SHORT.items():
        if name == long or name.startswith(f"{long}."):
            return short + name.removeprefix(long)
    return name


def within(name: str, allowed: Iterable[str]) -> bool:
    """Whether a used name is one of some names, or is inside one of them.

    Example:
        >>> within("np.linalg.norm", ["numpy"]), within("F.softmax", ["F.softmax_backward"])
        (True, False)
    """
    return any(name == short or name.startswith(f"{short}.") for short in map(shortened, allowed))
