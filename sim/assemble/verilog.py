"""A small writer of Verilog: modules as text, of a size that Amaranth's own tops do not reach.

Amaranth makes each *distinct* router once; the top that places it many times is written here,
for one Amaranth module may have at most 65,535 input bits and shares no submodules.
"""

import functools
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

from amaranth.back import verilog
from amaranth.lib import wiring
from pydantic import BaseModel

from syncfabric.models.errors import SpecError
from syncfabric.sim.simulators.cache import Cache, cache_folder, fingerprint

__all__ = ["NETWORK", "ModuleWriter", "convert", "converted", "named", "part", "quote", "zero"]

NETWORK = "network"
"""Name of a network's module, and of its instance, until ``named`` gives it the user's."""

# Words of Verilog-2005 and SystemVerilog that a port of ours could collide with.
_KEYWORDS = frozenset({"config", "final", "global", "instance", "local", "release", "wait"})

# Wires and ports of no bits: nothing reads them, but Verilog would give them two.
_EMPTY = re.compile(r"^  (?P<kind>wire|input|output) \[-1:0\] (?P<name>\S+) ?;\n", re.MULTILINE)

_MODULE = re.compile(r"^module .*?^endmodule", re.MULTILINE | re.DOTALL)
_HEADER = re.compile(r"^(?P<module>module \S+ ?)\((?P<ports>[^;]*)\);", re.MULTILINE)
_CLEARED = re.compile(
    r"  initial begin\n(?:    (?P<name>\S+) ?\[\d+\] = (?P<bits>\d+)'(?:h0+|d0|h0);\n)+  end\n"
)


# What starts every combinational block once: an initial value is no event for Icarus Verilog, an
# assignment is.
_TRIGGER = re.compile(r"\\\$auto\$verilog_backend\.cc:\d+:dump_module\$\d+ ( = 0;)?")


_NAME = r"(?:\\\S+|[A-Za-z_][\w$]*)"
# Comments and strings, which stay; else a name, whether it is declared, and whether it is placed:
# another name and its connections follow, or parameters.
_TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|"(?:[^"\\]|\\.)*"'
    rf"|(?P<declared>\bmodule\s+)?(?P<name>{_NAME})"
    rf"(?P<placed>(?=\s*\#\s*\(|\s+{_NAME}\s*[(\[]))?",
    re.DOTALL,
)


def named(text: str, name: str, prefix: str = "") -> str:
    """Rename the modules of a design, so that several designs can be parts of one.

    Declarations and instantiations change, and nothing else: no instance, comment or string.

    Parameters
    ----------
    text : str
        Verilog. Its tops are ``NETWORK``, and those whose names begin so, as ``network_axi``.
    name : str
        What stands in place of ``NETWORK``.
    prefix : str, optional
        What the names of all other modules begin with; ``name`` by default.

    Raises
    ------
    SpecError
        Two modules would have the same name.
    """
    names: dict[str, str] = {}
    for old in re.findall(rf"^\s*module\s+({_NAME})", text, re.MULTILINE):
        plain = old.removeprefix("\\")
        top = re.match(rf"{NETWORK}(?![^_.])", plain)
        names[plain] = name + plain[top.end() :] if top else f"{prefix or name}_{plain}"
    twice = [new for new, count in Counter(names.values()).items() if count > 1]
    if twice:
        raise SpecError(f'prefix = "{prefix}": two modules are called {twice[0]}; choose another')

    def rename(token: re.Match[str]) -> str:
        old = token["name"] or ""
        plain = old.removeprefix("\\")
        if plain not in names or (token["declared"], token["placed"]) == (None, None):
            return token[0]
        return f"{token['declared'] or ''}{old[: len(old) - len(plain)]}{names[plain]}"

    return _TOKEN.sub(rename, text)


def quote(name: str) -> str:
    """Return a name as Verilog takes it; keywords are escaped."""
    return f"\\{name} " if name in _KEYWORDS else name


def part(name: str, index: int, width: int) -> str:
    """Return the ``index``-th run of ``width`` bits of a packed vector."""
    low = index * width
    return f"{quote(name)}[{low + width - 1}:{low}]"


def zero(width: int) -> str:
    """Return a constant 0 of ``width`` bits."""
    return f"{width}'d0"


def convert(component: wiring.Component, name: str) -> str:
    """Return a component's Verilog, its submodules included, with no path of this machine in it.

    A memory that starts as all zeros is cleared by a loop instead of a line a word.
    """
    text: str = verilog.convert(component, name=name, emit_src=False, strip_internal_attrs=True)
    body = text.partition("\n\n")[2]  # the first line names the converter's version
    return _shorten_clearing(_MODULE.sub(_drop_empty, _TRIGGER.sub(_start, body)))


def _start(match: re.Match[str]) -> str:
    return "initial_trigger" + (";\n  initial initial_trigger = 0;" if match[1] else "")


def _drop_empty(module: re.Match[str]) -> str:
    """Remove a module's wires and ports of no bits; only the outermost module has such ports."""
    empty = {match["name"] for match in _EMPTY.finditer(module[0]) if match["kind"] != "wire"}

    def without(header: re.Match[str]) -> str:
        names = [name for name in header["ports"].split(",") if name.strip() not in empty]
        return f"{header['module']}({','.join(names)});"

    return _EMPTY.sub("", _HEADER.sub(without, module[0]) if empty else module[0])


def _shorten_clearing(text: str) -> str:
    """Replace a memory's word by word initialization to 0 by a loop."""

    def loop(match: re.Match[str]) -> str:
        lines = match.group(0).splitlines()[1:-1]
        name, bits = match.group("name"), match.group("bits")
        if any(line.split("[")[0].strip() != name.strip() for line in lines) or len(lines) < 4:
            return match.group(0)
        index = "clear_" + re.sub(r"\W", "_", name)
        return (
            f"  integer {index};\n"
            f"  initial for ({index} = 0; {index} < {len(lines)}; {index} = {index} + 1)"
            f" {name} [{index}] = {bits}'d0;\n"
        )

    return _CLEARED.sub(loop, text)


class ModuleWriter:
    """Collects a module's ports, wires, assignments and instances, in order.

    Parameters
    ----------
    name : str
        Name of the module.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._ports: list[str] = []
        self._body: list[str] = []

    def port(self, direction: str, name: str, width: int | None = None) -> None:
        """Declare a port; a width, even of 1, makes it a vector. A vector of 0 bits is left out."""
        if width != 0:
            self._ports.append(f"  {direction} wire {_range(width)}{quote(name)}")

    def wire(self, name: str, width: int | None = None) -> None:
        """Declare a wire; see ``port`` for the width."""
        if width != 0:
            self._body.append(f"  wire {_range(width)}{quote(name)};")

    def assign(self, target: str, value: str) -> None:
        """Drive ``target`` with an expression."""
        self._body.append(f"  assign {target} = {value};")

    def instance(self, module: str, name: str, ports: Mapping[str, str | None]) -> None:
        """Place a module; an unconnected port is an empty string, one that is None is left out."""
        connected = ",\n".join(
            f"    .{quote(port)}({value})" for port, value in ports.items() if value is not None
        )
        self._body.append(f"  {module} {name} (\n{connected}\n  );")

    def lines(self, text: str) -> None:
        """Add lines of Verilog as they are."""
        self._body.append(text.rstrip("\n"))

    def text(self) -> str:
        """Return the module."""
        ports = ",\n".join(self._ports)
        body = "\n".join(self._body)
        return f"module {self.name} (\n{ports}\n);\n{body}\nendmodule\n"


def _range(width: int | None) -> str:
    return "" if width is None else f"[{width - 1}:0] "


_DECIDING = ("syncfabric.rtl", "syncfabric.models", "syncfabric.sim.assemble")
"""Packages whose sources decide what comes out."""


def converted(
    make: Callable[..., wiring.Component], name: str, *parameters: BaseModel | int
) -> str:
    """Return the Verilog of ``make(*parameters)``, from the cache if it is there.

    Parameters
    ----------
    make : callable
        A class of component, or a function of a module that makes one.
    name : str
        Of the Verilog module.
    parameters : specs and numbers
        All that the component depends on.

    Raises
    ------
    OutputError
        The cache cannot be written.
    """
    settings = {
        "component": f"{make.__module__}.{make.__qualname__}",
        "name": name,
        "parameters": [_plain(parameter) for parameter in parameters],
        "sources": _sources(),
        "amaranth": version("amaranth"),
    }

    def build(scratch: Path, result: Path) -> None:
        (result / "module.v").write_text(convert(make(*parameters), name))

    folder, _ = Cache(cache_folder() / "verilog").get(fingerprint(settings, []), build)
    return (folder / "module.v").read_text()


def _plain(parameter: BaseModel | int) -> str:
    return (
        parameter.model_dump_json() if isinstance(parameter, BaseModel) else json.dumps(parameter)
    )


@functools.cache
def _sources() -> str:
    """Fingerprint what the modules of these packages say."""
    folders = [Path(str(files(package))) for package in _DECIDING]
    sources = [file for folder in folders for file in sorted(folder.rglob("*.py"))]
    return fingerprint({}, sources)
