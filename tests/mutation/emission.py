"""Mutants of what writes Verilog, which Amaranth's simulator beside it must notice."""

from tests.mutation.mutant import Mutant

TESTS = ("tests/sim/emit/test_module.py",)


def _broken(name: str, part: str, old: str, new: str) -> Mutant:
    return Mutant(f"emission: {name}", f"sim/emit/{part}.py", old, new, TESTS)


EMISSION = (
    _broken(
        "a register forgets its reset",
        "module",
        "self._reset.setdefault(self.term(reset.test).text, []).extend(back)",
        "pass",
    ),
    _broken(
        "an operand is extended by 0, not by its sign",
        "signals",
        "if signed and signal:",
        "if signed and not signal:",
    ),
    _broken(
        "bits that no statement gives keep what is there",
        "logic",
        "ends = sorted({0, wire.width, *borders(process.body)})",
        "ends = [0, wire.width]",
    ),
    _broken(
        "a case with the same pattern as the choice before it",
        "logic",
        "level = [chosen.get(i, otherwise) for i in range(1 << test.width)]",
        "level = [chosen.get(i ^ 1, otherwise) for i in range(1 << test.width)]",
    ),
    _broken(
        "a write passes a transparent port by",
        "module",
        'and mask >> int(other.parameters["PORTID"]) & 1:',
        "and mask < 0:",
    ),
    _broken(
        "an input that nothing else reads is left out of a block",
        "blocks",
        'if flow is PortDirection.Input and f"\\\\{port} [" not in text',
        "if flow is PortDirection.Input",
    ),
)
