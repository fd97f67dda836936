"""A compiled program: what is loaded into a core's memory, and where its functions are."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

__all__ = ["Program", "Segment", "Symbol", "read_program"]

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
    symbols : mapping of str to Symbol
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
