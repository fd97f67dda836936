"""Functions of a program as instructions, for a person who counts cycles."""

from __future__ import annotations

from capstone import CS_ARCH_RISCV, CS_MODE_RISCV32, Cs

from syncfabric.models.errors import SpecError
from syncfabric.sim.cores.program import Program

__all__ = ["disassemble"]


def disassemble(program: Program, function: str) -> list[tuple[int, str]]:
    """Return the address and the text of each instruction of a function.

    Raises
    ------
    SpecError
        The program has no such function: the compiler may have put it into those that call it.
    """
    symbol = program.symbols.get(function)
    if symbol is None or not symbol.function:
        raise SpecError(f"program {program.source} has no function {function}")
    decoder = Cs(CS_ARCH_RISCV, CS_MODE_RISCV32)
    for segment in program.segments:
        start = symbol.address - segment.address
        if 0 <= start < len(segment.data):
            code = segment.data[start : start + symbol.size]
            found = decoder.disasm(code, symbol.address)
            return [(one.address, f"{one.mnemonic} {one.op_str}".strip()) for one in found]
    raise SpecError(f"program {program.source} does not load function {function}")
