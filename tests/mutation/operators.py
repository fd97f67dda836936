"""Mutants of the operators of streams."""

from tests.mutation.mutant import Mutant


def _float(name: str, old: str, new: str) -> Mutant:
    tests = ("tests/rtl/streams/test_floating.py",)
    return Mutant(f"operator: {name}", "rtl/streams/floating.py", old, new, tests)


def _lane(name: str, part: str, old: str, new: str) -> Mutant:
    tests = ("tests/rtl/streams/test_operators.py",)
    return Mutant(f"operator: {name}", f"rtl/streams/{part}.py", old, new, tests)


OPERATORS = (
    _float(
        "what is shifted out by the last place is lost", "range(levels)):", "range(1, levels)):"
    ),
    _float("what is shifted out is not told", "sticky=Cat(lost).any()", "sticky=0"),
    _float(
        "an operand too far away is near",
        "word = Mux(far, 0, moved) if level == levels - 1 else moved",
        "word = moved",
    ),
    _float("a half is rounded up", "half & (last | word[1]", "half & (1 | word[1]"),
    _float("a half is rounded down", "half & (last | word[1]", "half & (word[1]"),
    _float("a guard bit is not looked at", "word[1] | word[0] |", "word[1] |"),
    _float(
        "a difference forgets what was shifted out",
        "carry = aligned.subtracts & ~aligned.sticky",
        "carry = aligned.subtracts",
    ),
    _float(
        "a result below the normal range stays",
        "none = nothing | ((low < count)",
        "none = nothing | ((low + 1 < count)",
    ),
    _float("a single operand is flushed", "& ~large & ~shifted.unchanged", "& ~large"),
    _float("results are flushed by half of the exponent", "& ~large &", "&"),
    _float("an operand below the normal range counts", "| no_a | no_b |", "| no_a |"),
    _float("an exact sum of 0 has a sign", "shifted.sign & ~nothing", "shifted.sign"),
    _float("−0 and +0 are −0", "no_b, a_sign & b_sign,", "no_b, a_sign | b_sign,"),
    _float("−0 alone is +0", "Mux(self.both, sign, a_sign | b_sign)", "sign"),
    _float("−0 is not below +0", "~(a_sign ^ high)), less)", "~(a_sign ^ high ^ (a == b))), less)"),
    _float(
        "of negative numbers the wrong one is the minimum",
        "Mux(less, b_sign ^ high,",
        "Mux(less, high,",
    ),
    _float(
        "NaN keeps its bits",
        "fraction=Mux(nan, 1 << (size - 1), first[:size])",
        "fraction=first[:size]",
    ),
    _float("NaN keeps its sign", "sign & self.mine & ~nan", "sign & self.mine"),
    _float(
        "a second operand's NaN is a number",
        "(full_a & a.any()) | (full_b & b.any())",
        "(full_a & a.any())",
    ),
    _float("∞ − ∞ is 0", "(adds & full_a & full_b & differ)", "Const(0, 1)"),
    _float("∞ + ∞ is NaN", "(adds & full_a & full_b & differ)", "(adds & full_a & full_b)"),
    _float(
        "the least of two infinities is NaN",
        "(adds & full_a & full_b & differ)",
        "(full_a & full_b & differ)",
    ),
    _float("infinity is a number like others", "no_b | full_a | full_b", "no_b"),
    _float("what is too great is NaN", "none | shifted.over", "none"),
    _float("the distance forgets what fractions borrow", "(less ^ borrows)", "less"),
    _lane("what is not this lane's has an operand", "floating", "~adds | ~self.mine |", "~adds |"),
    _lane(
        "carries go into the next byte",
        "operators",
        "(byte, half, byte, Const(1))",
        "(byte, half, Const(0), Const(1))",
    ),
    _lane(
        "halves of words carry", "operators", "self.type != Type.INT32", "self.type == Type.INT16"
    ),
    _lane("differences of bytes borrow", "operators", "ends & minus]", "Const(0, 1)]"),
    _lane(
        "signs are not looked at", "operators", "(self.a[i] ^ self.b[i]) & signed", "Const(0, 1)"
    ),
    _lane(
        "signs are always looked at",
        "operators",
        "(self.a[i] ^ self.b[i]) & signed",
        "self.a[i] ^ self.b[i]",
    ),
    _lane("the maximum is the minimum", "operators", "^ ~function[0].replicate(_BYTES)", ""),
    _lane("a byte decides for itself", "operators", "Mux(kind[1], whole,", "Mux(0, whole,"),
    _lane("a single operand is combined", "operators", "one = ~self.both | (", "one = ("),
    _lane(
        "a sum goes by any type",
        "operators",
        "Mux(adds & self.mine, total, 0)",
        "Mux(adds, total, 0)",
    ),
    _lane("who is last is as late as the first", "operators", "self._latency - latency,", "0,"),
    _lane(
        "a unit's result counts when it was not asked",
        "operators",
        "Mux(asked, self.offload_y, 0)",
        "self.offload_y",
    ),
    _lane(
        "what is alone is lost", "operators", "self._asked(name), i == 0)", "self._asked(name), 0)"
    ),
    _lane(
        "what is alone comes twice",
        "operators",
        "Mux(self.both, 0, self.a | self.b)",
        "self.a | self.b",
    ),
    _lane(
        "lanes carry into the next",
        "operators",
        "range(0, len(a), LANE_BITS)]\n",
        "range(0, len(a), len(a))]\n",
    ),
)
