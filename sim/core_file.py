"""A FuseSoC core file (CAPI2): what a chip's build needs to know of a Verilog file."""

import json
from collections.abc import Iterable, Sequence
from importlib.metadata import version

from pydantic import BaseModel

LINT_OPTIONS = ("-Wall", "-Wno-DECLFILENAME")
"""All that Verilator warns of; but a file has many modules, unless it is split."""

_SYNTHESIS = ("-abc9", "-nowidelut")
_PLACEMENT = ("--85k", "--package", "CABGA381", "--speed", "6", "--lpf-allow-unconstrained")


def parameters(network: BaseModel) -> dict[str, tuple[str | int, str]]:
    """Return value and meaning of the keys of ``[network]`` that are not lists, by name.

    The kind and its own keys come first, then those that kinds share.
    """
    found: dict[str, tuple[str | int, str]] = {}
    given = network.model_dump()
    fields = list(type(network).model_fields.items())
    first = next((i for i, (name, _) in enumerate(fields) if name == "kind"), 0)
    for name, field in fields[first:] + fields[:first]:
        value = given.get(name)
        if isinstance(value, str | int):
            shown = str(value).lower() if isinstance(value, bool) else value
            found[name] = (shown, field.description or "")
    return found


def keys_and_values(network: BaseModel) -> str:
    """Return these parameters in a line."""
    return ", ".join(f"{key} = {value}" for key, (value, _) in parameters(network).items())


def core_file(
    library: str,
    name: str,
    top: str,
    about: str,
    network: BaseModel,
    *,
    files: Sequence[str] = (),
    headers: Sequence[str] = (),
    others: Iterable[str] = (),
) -> str:
    """Return the core file of ``NAME.v``, or of other files.

    Targets: ``default``; ``lint`` by Verilator; ``synth`` by Yosys for an ECP5; ``place``, the same
    and nextpnr, with a pin for every port.

    Parameters
    ----------
    library : str
        Of the core's name ``syncfabric:LIBRARY:NAME:VERSION``.
    name : str
    top : str
        The top module.
    about : str
        What it is; the parameters follow.
    network : BaseModel
        Its parameters.
    files, headers, others : sequences of str
        Verilog in place of ``NAME.v``, C headers, and other files beside it.
    """
    vlnv = f"syncfabric:{library}:{name}:{version('syncfabric')}"
    lines = [
        "CAPI=2:",
        f"name: {_text(vlnv)}",
        f"description: {_text(f'{about}; {keys_and_values(network)}')}",
        "filesets:",
        *_files("rtl", files or [f"{name}.v"], "verilogSource-2005"),
        *_files("software", headers, "cSource"),
        *_files("documents", list(others), "user"),
        "targets:",
        *_target("default", top),
        *_target("lint", top, "lint", tool="verilator", verilator_options=LINT_OPTIONS),
        *_target(
            "synth",
            top,
            "generic",
            tool="yosys",
            arch="ecp5",
            output_format="json",
            yosys_synth_options=_SYNTHESIS,
        ),
        *_target(
            "place", top, "trellis", yosys_synth_options=_SYNTHESIS, nextpnr_options=_PLACEMENT
        ),
    ]
    return "\n".join(lines) + "\n"


def _files(name: str, files: Sequence[str], file_type: str) -> list[str]:
    if not files:
        return []
    return [f"  {name}:", f"    files: {_text(list(files))}", f"    file_type: {file_type}"]


def _target(name: str, top: str, flow: str = "", **options: str | Sequence[str]) -> list[str]:
    lines = [f"  {name}:", "    filesets: [rtl]", f"    toplevel: {top}"]
    if flow:
        lines += [f"    flow: {flow}", "    flow_options:"]
        lines += [f"      {option}: {_text(value)}" for option, value in options.items()]
    return lines


def _text(value: str | Sequence[str]) -> str:
    """Return a value as YAML, of which JSON is a part."""
    return json.dumps(value, ensure_ascii=False)
