"""Functions of a program as instructions, for a person who counts cycles."""

from __future__ import annotations

from capstone import CS_ARCH_RISCV, CS_MODE_RISCV32, Cs

from syncfabric.models.errors import SpecError
from syncfabric.sim.cores.program import Program
from syncfabric.sim.cores.result import Routine

__all__ = ["barrier_routines", "disassemble"]

_SELDOM = ("sf_take_in",)
"""What is called by none but others that are."""


def disassemble(program: Program, function: str) -> list[tuple[int, str]]:
    """Return the address and the text of each instruction of a function.

    Raises
    ------
    SpecError
        The program has no such function: the compiler may have put it into those that call it.
    """
    symbol = program.symbols.get(function)
    if symbol is None or not symbol.function:
        raise SpecError(f"{program.source}: it has no function {function}")
    decoder = Cs(CS_ARCH_RISCV, CS_MODE_RISCV32)
    for segment in program.segments:
        start = symbol.address - segment.address
        if 0 <= start < len(segment.data):
            code = segment.data[start : start + symbol.size]
            found = decoder.disasm(code, symbol.address)
            return [(one.address, f"{one.mnemonic} {one.op_str}".strip()) for one in found]
    raise SpecError(f"{program.source}: it does not load function {function}")


def barrier_routines(program: Program) -> tuple[Routine, ...]:
    """Return the functions of a program's barriers in software, by their addresses.

    What these seldom call is left out: it is called by way of a function that saves registers, of
    the same name and ``_saving``.
    """
    low, high = program.barrier
    names = [name for name, symbol in program.symbols.items() if low <= symbol.address < high]
    seldom = {name.removesuffix("_saving") for name in names if name.endswith("_saving")}
    usual = (
        name
        for name in names
        if program.symbols[name].function
        and name.removesuffix("_saving") not in seldom
        and name not in _SELDOM
    )
    return tuple(
        Routine(name, tuple(disassemble(program, name)))
        for name in sorted(usual, key=lambda name: program.symbols[name].address)
    )
