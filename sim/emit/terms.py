"""Verilog expressions, each of exactly the width of what it stands for.

The operands of an operator are extended to equal width before it is written, so that no rule of
Verilog about the width of an expression ever changes a value, and no tool warns of one.
"""

from collections.abc import Sequence
from typing import NamedTuple


class Term(NamedTuple):
    """Text of an expression, and how strongly it binds."""

    text: str
    level: int
    width: int

    @property
    def simple(self) -> bool:
        """Whether it is a name or a constant, which can stand in several places."""
        return self.level >= ATOM


ATOM, PRIMARY, UNARY, TERNARY = 13, 12, 11, 0
_LEVELS = {"*": 9, "+": 8, "-": 8, "<<": 7, ">>": 7}
_LEVELS |= dict.fromkeys(("<", "<=", ">", ">="), 6) | dict.fromkeys(("==", "!="), 5)
_LEVELS |= {"&": 4, "^": 3, "|": 2}


def within(term: Term, level: int) -> str:
    """Return the text of an operand, in parentheses unless it binds more strongly."""
    return term.text if term.level > level else f"({term.text})"


def constant(value: int, width: int) -> Term:
    """Return a constant: binary if it is one bit, decimal if small, else hexadecimal."""
    if width == 1:
        text = f"1'b{value}"
    else:
        text = f"{width}'d{value}" if value < 10 else f"{width}'h{value:x}"
    return Term(text, ATOM, width)


def binary(operator: str, first: Term, second: Term, width: int = 0) -> Term:
    """Return an operation on terms of equal width; of ``width`` bits if it is a comparison."""
    if operator in "&|^" and (known := _folded(operator, first, second)):
        return known
    level = _LEVELS[operator]
    # Parentheses around all that binds differently, even where Verilog needs none.
    sides = [
        side.text
        if side.level == level and (operator in "&^|" or (side is first and operator in "+-"))
        else within(side, PRIMARY if side.text[0] in "&^|" else UNARY - 1)
        for side in (first, second)
    ]
    return Term(f" {operator} ".join(sides), level, width or first.width)


def _folded(operator: str, first: Term, second: Term) -> Term | None:
    """Return an operation with a constant of zeros or ones as what it comes to."""
    zeros, ones = (constant(v, first.width).text for v in (0, (1 << first.width) - 1))
    for one, other in ((first, second), (second, first)):
        if other.text == (ones if operator == "&" else zeros):
            return one
        if other.text == {"&": zeros, "|": ones}.get(operator):
            return other
    return None


def reduce(operator: str, term: Term) -> Term:
    """Return the AND, OR or XOR of all bits."""
    if not term.width:
        return constant(int(operator == "&"), 1)
    return term if term.width == 1 else Term(f"{operator}{within(term, UNARY)}", UNARY, 1)


def invert(term: Term) -> Term:
    """Return the complement of each bit."""
    if term.text in ("1'b0", "1'b1"):
        return constant(int(term.text == "1'b0"), 1)
    if term.text.startswith("~") and term.level == UNARY:
        inner = term.text[1:]
        if not inner.startswith("("):
            return Term(inner, ATOM, term.width)
    return Term(f"~{within(term, UNARY)}", UNARY, term.width)


def cat(parts: Sequence[Term]) -> Term:
    """Return terms side by side, the lowest first."""
    if len(parts) == 1:
        return parts[0]
    if not parts:
        return Term("", ATOM, 0)
    texts: list[str] = []
    i = len(parts) - 1
    while i >= 0:
        count = 1
        while i >= count and parts[i - count] == parts[i]:
            count += 1
        text = parts[i].text
        texts.append(f"{{{count}{{{text}}}}}" if count > 1 else text)
        i -= count
    width = sum(part.width for part in parts)
    text = texts[0] if len(texts) == 1 else f"{{{', '.join(texts)}}}"
    return Term(text, PRIMARY, width)


def repeat(term: Term, count: int) -> Term:
    """Return a bit ``count`` times."""
    return cat([term] * count)


def equal(term: Term, value: int) -> Term:
    """Return whether a term is a constant."""
    if term.width == 1:
        return term if value else invert(term)
    return binary("==", term, constant(value, term.width), 1)


def choose(condition: Term, then: Term, otherwise: Term) -> Term:
    """Return ``then`` under a condition, else ``otherwise``."""
    if condition.text in ("1'b1", "1'b0"):
        return then if condition.text == "1'b1" else otherwise
    if then.width == 1 and otherwise.text == "1'b0" and then.level > TERNARY:
        return condition if then.text == "1'b1" else binary("&", condition, then)
    tests = within(condition, TERNARY)
    text = f"{tests} ? {within(then, TERNARY)} : {otherwise.text}"
    return Term(text, TERNARY, then.width)
