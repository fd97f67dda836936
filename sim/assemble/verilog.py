"""A small writer of Verilog: modules as text, of a size that Amaranth's own tops do not reach.

Amaranth makes each *distinct* router once; the top that places it many times is written here,
for one Amaranth module may have at most 65,535 input bits and shares no submodules.
"""

import gc
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

from amaranth.lib import wiring
from pydantic import BaseModel

from syncfabric.models.cache import cache_folder, fingerprint, sources_of
from syncfabric.models.errors import SpecError
from syncfabric.sim.emit.blocks import blocks_of
from syncfabric.sim.emit.module import module_of
from syncfabric.sim.emit.naming import plain
from syncfabric.sim.simulators.cache import DECIDING, Cache

NETWORK = "network"
"""Name of a network's module, and of its instance, until ``named`` gives it the user's."""

_DIGEST = re.compile(r"__[0-9a-f]{10}$")
"""Mark between the names of modules of one class of component, until ``named`` numbers them."""

_INSTANCE = re.compile(r"^  (\w+) (?:#\(.*\) )?(\w+) \($", re.MULTILINE)
_PORT = re.compile(r"^  (input|output) +(?:wire|reg) +(?:\[(\d+):0\] )?(\w+)", re.MULTILINE)
_MODULES = re.compile(r"^(?://[^\n]*\n)*module (\S+).*?^endmodule\n", re.MULTILINE | re.DOTALL)

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
    numbers = Counter[str]()
    for old in re.findall(rf"^\s*module\s+({_NAME})", text, re.MULTILINE):
        plain = old.removeprefix("\\")
        top = re.match(rf"{NETWORK}(?![^_.])", plain)
        kind = _DIGEST.sub("", plain)
        numbers[kind] += kind != plain
        number = f"_{numbers[kind]}" if numbers[kind] > 1 else ""
        names[plain] = name + plain[top.end() :] if top else f"{prefix or name}_{kind}{number}"
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


def merged(*texts: str) -> str:
    """Return designs as one: a module that several have stands in it once."""
    seen: set[str] = set()

    def once(module: re.Match[str]) -> str:
        again = module[1] in seen
        seen.add(module[1])
        return "" if again else module[0]

    return re.sub(r"\n{3,}", "\n\n", _MODULES.sub(once, "\n".join(texts)))


def modules_of(text: str) -> dict[str, str]:
    """Return the modules of a design by name, each with the comment above it."""
    return {module[1]: module[0] for module in _MODULES.finditer(text)}


def uses(module: str) -> set[str]:
    """Return the names of the modules that have instances in the text of a module."""
    return {kind for kind, _ in _INSTANCE.findall(module)}


def placed(text: str, top: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield each instance below a module: its path, by names of instances, and its module."""
    modules = modules_of(text)

    def below(module: str, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
        for kind, name in _INSTANCE.findall(modules[module]):
            if kind in modules:
                yield (*path, name), kind
                yield from below(kind, (*path, name))

    return below(top, ())


def ports_of(text: str, module: str) -> dict[str, tuple[bool, int]]:
    """Return the ports of a module of ``convert``: whether each comes in, and its width."""
    head = re.search(rf"^module {module} \((.*?)^\);", text, re.MULTILINE | re.DOTALL)
    assert head, module
    return {
        name: (flow == "input", int(high or 0) + 1) for flow, high, name in _PORT.findall(head[1])
    }


def closed(top: str, modules: str) -> str:
    """Return a top whose open outputs lead to wires that tools know as unused."""
    codes = modules_of(modules)

    def close(instance: re.Match[str]) -> str:
        wires = []
        for pin in re.findall(r"^    \.(\w+)\(\)", instance[3], re.MULTILINE):
            bits = ports_of(codes[instance[1]], instance[1])[pin][1]
            wires.append(f"  wire {_range(bits) if bits > 1 else ''}unused_{instance[2]}_{pin};\n")
        pins = re.sub(
            r"^    \.(\w+)\(\)", rf"    .\1(unused_{instance[2]}_\1)", instance[3], flags=re.M
        )
        return f"{''.join(wires)}  {instance[1]} {instance[2]} (\n{pins}\n  );"

    return re.sub(r"^  (\w+) (\w+) \(\n(.*?)\n  \);", close, top, flags=re.MULTILINE | re.DOTALL)


def part(name: str, index: int, width: int) -> str:
    """Return the ``index``-th run of ``width`` bits of a packed vector."""
    low = index * width
    return f"{plain(name)}[{low + width - 1}:{low}]"


def zero(width: int) -> str:
    """Return a constant 0 of ``width`` bits."""
    return f"{width}'d0"


def convert(component: wiring.Component, name: str) -> str:
    """Return a component's Verilog: its own module, then a module for each distinct part."""
    with _no_search_for_garbage():  # a quarter of the time, and finds next to none
        return "\n".join(reversed([module_of(block) for block in blocks_of(component, name)]))


@contextmanager
def _no_search_for_garbage() -> Iterator[None]:
    searches = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if searches:
            gc.enable()


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
            self._ports.append(f"  {direction} wire {_range(width)}{plain(name)}")

    def wire(self, name: str, width: int | None = None) -> None:
        """Declare a wire; see ``port`` for the width."""
        if width != 0:
            self._body.append(f"  wire {_range(width)}{plain(name)};")

    def assign(self, target: str, value: str) -> None:
        """Drive ``target`` with an expression."""
        self._body.append(f"  assign {target} = {value};")

    def instance(self, module: str, name: str, ports: Mapping[str, str | None]) -> None:
        """Place a module; an unconnected port is an empty string, one that is None is left out."""
        connected = ",\n".join(
            f"    .{plain(port)}({value})" for port, value in ports.items() if value is not None
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
        "sources": sources_of(*DECIDING),
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
