"""A block's module with what its class says of it: what it is, its rules, parameters and ports."""

import inspect
import re
from collections.abc import Iterator

from amaranth.lib import wiring

from syncfabric.sim.emit.blocks import Block
from syncfabric.sim.emit.module import Written
from syncfabric.sim.emit.naming import plain
from syncfabric.sim.emit.netlist import read

__all__ = ["module_of"]

_ROLE = re.compile(r":\w+:`(.*?)`|``(.*?)``")
_SECTIONS = re.compile(r"^(\w[\w ]*)\n-+\n", re.MULTILINE)
_ENTRY = re.compile(r"^(\S.*?) ?: (\S.*(?:\n(?: .*)?)*)", re.MULTILINE)


def module_of(block: Block) -> str:
    """Return a block as a module of Verilog."""
    about, *sections = _SECTIONS.split(inspect.getdoc(type(block.component)) or "")
    texts = dict(zip(sections[::2], sections[1::2], strict=True))
    header = [*_plain(about).strip().splitlines(), *_parameters(block.component, texts)]
    notes = dict(_ports(texts.get("Members", "")))
    return Written(read(block.text), block.outputs, block.name, header, notes).text


def _plain(text: str) -> str:
    """Return a docstring without its markup."""
    return _ROLE.sub(lambda found: found[1] or found[2], text)


def _parameters(component: wiring.Component, texts: dict[str, str]) -> Iterator[str]:
    """Yield those parameters of a component that it keeps, and that are numbers or names."""
    names = [
        name for entry in _ENTRY.finditer(texts.get("Parameters", "")) for name in _names(entry[1])
    ]
    for name in names:
        value = getattr(component, f"_{name}", getattr(component, name, None))
        if isinstance(value, int | str):
            yield f"{name} = {value}"


def _names(listed: str) -> list[str]:
    return [name.strip() for name in listed.split(",")]


def _ports(members: str) -> Iterator[tuple[str, str]]:
    """Yield what is said of each port."""
    for entry in _ENTRY.finditer(members):
        _, *said = entry[2].splitlines()
        note = " ".join(line.strip() for line in said).partition(". ")[0].rstrip(".")
        for name in _names(re.sub(r" : (In|Out)\(.*?\)(?=,)", "", entry[1])):
            if note:
                yield plain(name), _plain(note)
