"""Names of nets that Amaranth gives none, from the variables of the source that made them."""

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import cycle
from pathlib import Path

from amaranth.hdl import Signal

_UNNAMED = "$signal"

Place = tuple[str, int]


def name_signals(signals: Iterable[Signal]) -> None:
    """Name signals that were made several in one assignment, as ``a, b = Signal(), Signal()``."""
    made: defaultdict[Place, list[Signal]] = defaultdict(list)
    for signal in signals:
        if signal.name == _UNNAMED and signal.src_loc:
            made[signal.src_loc].append(signal)
    for (file, line), unnamed in made.items():
        if names := _variables(file).get(line):
            in_order = sorted(unnamed, key=lambda signal: signal.duid)
            for signal, name in zip(in_order, cycle(names), strict=False):
                signal.name = name


def variable_at(source: str) -> str | None:
    """Return the variable that a line, given as ``file:line``, gives a value, if it is one."""
    file, _, line = source.rpartition(":")
    names = _variables(file).get(int(line), ()) if file else ()
    return names[0] if len(names) == 1 else None


@cache
def _variables(file: str) -> dict[int, tuple[str, ...]]:
    """Return the variables of a file that are assigned on each line, in order."""
    path = Path(file)
    found: dict[int, tuple[tuple[str, ...], int]] = {}
    for node in ast.walk(ast.parse(path.read_text())) if path.suffix == ".py" else ():
        lines: defaultdict[int, list[str]] = defaultdict(list)
        for name, value in _assigned(node):
            for line in range(value.lineno, (value.end_lineno or value.lineno) + 1):
                lines[line].append(name)
        for line, names in lines.items():
            # An assignment within another one, as in a comprehension, is of fewer lines.
            if line not in found or found[line][1] >= len(lines):
                found[line] = tuple(names), len(lines)
    return {line: names for line, (names, _) in found.items()}


def _assigned(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Yield the variables that a statement assigns, and their values."""
    if isinstance(node, ast.NamedExpr):
        yield node.target.id, node.value
    elif isinstance(node, ast.AnnAssign) and node.value:
        yield from _pairs(node.target, node.value)
    elif isinstance(node, ast.Assign):
        for target in node.targets:
            yield from _pairs(target, node.value)


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Attribute):
        yield target.attr, value
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for inner, part in zip(target.elts, value.elts, strict=False):
            yield from _pairs(inner, part)
    elif isinstance(target, ast.Tuple):
        for inner in target.elts:
            yield from _pairs(inner, value)
