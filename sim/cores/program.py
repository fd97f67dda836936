"""A compiled program: what is loaded into a core's memory, its functions, and its instructions."""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from capstone import CS_ARCH_RISCV, CS_MODE_RISCV32, Cs
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from syncfabric.models.errors import SpecError
from syncfabric.sim.cores.result import Routine

BARRIER_SECTION = ".text.sf_barrier"

FLITS_SYMBOL = "sf_reflex_begin"
"""A program that has this function makes barriers of flits that it sends itself."""


@dataclass(frozen=True)
class Segment:
    """Bytes at an address."""

    address: int
    data: bytes


@dataclass(frozen=True)
class Symbol:
    """A function or an object: its address, and its size in bytes."""

    address: int
    size: int
    function: bool


@dataclass(frozen=True)
class Program:
    """What a core runs.

    Parameters
    ----------
    source : Path
        The C file.
    elf : Path
        The linked file, in the cache.
    entry : int
        Where it begins.
    segments : tuple of Segment
        What is loaded, by rising address; zeros that the program makes itself are not in it.
    sections : mapping of str to (int, int)
        First address of each section in memory, and the first behind it.
    memory_bytes : int
        Size of a core's memory.
    warnings : str
        What the compiler said.
    """

    source: Path
    elf: Path
    entry: int
    segments: tuple[Segment, ...]
    symbols: Mapping[str, Symbol]
    sections: Mapping[str, tuple[int, int]]
    memory_bytes: int
    warnings: str

    @property
    def barrier(self) -> tuple[int, int]:
        """Addresses of the software barriers' functions, (0, 0) if there are none."""
        return self.sections.get(BARRIER_SECTION, (0, 0))

    @property
    def sends_flits(self) -> bool:
        """Whether it wants a static network's rings and trees without the agents."""
        return FLITS_SYMBOL in self.symbols

    @property
    def free_bytes(self) -> int:
        """Memory above the program, which is the stack's."""
        return self.memory_bytes - self.symbols["__noinit_end"].address

    @cached_property
    def _functions(self) -> tuple[list[int], list[tuple[str, int]]]:
        found = sorted(
            (symbol.address, name, symbol.address + symbol.size)
            for name, symbol in self.symbols.items()
            if symbol.function
        )
        return [start for start, _, _ in found], [(name, end) for _, name, end in found]

    def function_at(self, pc: int) -> str | None:
        """Return the name of the function that has an instruction at an address."""
        starts, functions = self._functions
        place = bisect_right(starts, pc) - 1
        if place < 0 or pc >= functions[place][1]:
            return None
        return functions[place][0]


def read_program(elf: Path, source: Path, memory_bytes: int, warnings: str = "") -> Program:
    """Read a linked file."""
    with elf.open("rb") as stream:
        file = ELFFile(stream)
        segments = tuple(
            Segment(part["p_paddr"], part.data())
            for part in file.iter_segments("PT_LOAD")
            if part["p_filesz"]
        )
        sections = {
            part.name: (part["sh_addr"], part["sh_addr"] + part["sh_size"])
            for part in file.iter_sections()
            if part["sh_flags"] & 2 and part["sh_size"]  # SHF_ALLOC
        }
        table = file.get_section_by_name(".symtab")
        assert isinstance(table, SymbolTableSection)
        symbols = {
            symbol.name: Symbol(
                symbol["st_value"], symbol["st_size"], symbol["st_info"]["type"] == "STT_FUNC"
            )
            for symbol in table.iter_symbols()
            if symbol.name and symbol["st_shndx"] != "SHN_UNDEF"
        }
        entry = file.header["e_entry"]
    return Program(source, elf, entry, segments, symbols, sections, memory_bytes, warnings)


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

    What these seldom call is left out: it is called through a function that saves registers, of
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
