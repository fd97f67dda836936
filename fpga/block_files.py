"""The files of a block by itself, for a chip: Verilog, and a FuseSoC core file."""

from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

from pydantic import BaseModel

from syncfabric.fpga.blocks import BLOCKS, block_network
from syncfabric.sim.assemble.verilog import NETWORK, named
from syncfabric.sim.core_file import core_file, parameters
from syncfabric.sim.output import check_folder, write_folder
from syncfabric.sim.products import check_prefix
from syncfabric.sim.progress import Progress, silent, stage


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
        Is told how far the build is.

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
