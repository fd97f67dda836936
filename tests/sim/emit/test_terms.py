"""Verilog expressions: their text, their parentheses, and what is folded away."""

import pytest

from syncfabric.sim.emit.terms import (
    ATOM,
    Term,
    binary,
    cat,
    choose,
    constant,
    equal,
    invert,
    reduce,
    repeat,
)

A, B, C = (Term(name, ATOM, 4) for name in "abc")
S, T = Term("s", ATOM, 1), Term("t", ATOM, 1)
ZEROS, ONES = constant(0, 4), constant(15, 4)


@pytest.mark.parametrize(
    ("term", "text", "width"),
    [
        (constant(1, 1), "1'b1", 1),
        (constant(9, 4), "4'd9", 4),
        (constant(200, 8), "8'hc8", 8),
        (binary("+", binary("+", A, B), C), "a + b + c", 4),
        (binary("-", A, binary("-", B, C)), "a - (b - c)", 4),
        (binary("&", binary("&", A, B), binary("|", A, C)), "a & b & (a | c)", 4),
        (binary("<", A, binary("+", B, C), 1), "a < (b + c)", 1),
        (reduce("|", invert(A)), "|(~a)", 1),
        (invert(binary("^", A, B)), "~(a ^ b)", 4),
        (cat([A, A, S]), "{s, {2{a}}}", 9),
        (repeat(S, 4), "{4{s}}", 4),
        (equal(A, 3), "a == 4'd3", 1),
        (choose(S, A, choose(T, B, C)), "s ? a : t ? b : c", 4),
        (choose(S, T, constant(0, 1)), "s & t", 1),
    ],
)
def test_text_and_width(term: Term, text: str, width: int) -> None:
    assert (term.text, term.width) == (text, width)


@pytest.mark.parametrize(
    ("term", "same"),
    [
        (binary("&", A, ONES), A),
        (binary("&", ZEROS, A), ZEROS),
        (binary("|", A, ZEROS), A),
        (binary("|", A, ONES), ONES),
        (binary("^", ZEROS, A), A),
        (invert(invert(A)), A),
        (invert(constant(0, 1)), constant(1, 1)),
        (reduce("&", cat([])), constant(1, 1)),
        (reduce("|", cat([])), constant(0, 1)),
        (reduce("^", S), S),
        (cat([A]), A),
        (equal(S, 1), S),
        (equal(S, 0), invert(S)),
        (choose(constant(1, 1), A, B), A),
        (choose(constant(0, 1), A, B), B),
        (choose(S, constant(1, 1), constant(0, 1)), S),
    ],
)
def test_what_needs_no_operation_has_none(term: Term, same: Term) -> None:
    assert term == same


def test_only_names_and_constants_can_stand_in_several_places() -> None:
    assert A.simple
    assert ONES.simple
    assert not invert(A).simple
    assert not cat([A, B]).simple
