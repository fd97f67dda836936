"""A network's fabric is built: its program, and the texts that it is made of, kept by content."""

import os
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

from syncfabric.models.cache import cache_folder, fingerprint, sources_of
from syncfabric.models.networks.spec import AnySpec
from syncfabric.sim.simulators.base import Built, Design
from syncfabric.sim.simulators.cache import DECIDING, Cache
from syncfabric.sim.simulators.verilator import Verilator

_HEADERS = (
    *("active.h", "barriers.h", "bits.h", "config_port.h", "corrupt.h", "evaluate.h"),
    *("fabric.h", "faults.h", "idle.h", "in_flight.h", "links.h", "members.h", "messages.h"),
    *("probe.h", "scoreboard.h", "script.h", "snapshot.h", "switches.h", "tables.h", "waits.h"),
    "workers.h",
)


@dataclass(frozen=True)
class Texts:
    """Files that a fabric is built from.

    Parameters
    ----------
    program : str
        The C++ source with ``main``.
    tiles : list of Path
        Verilog files, each named like its top.
    header : Path
        ``network.h``.
    tables : Path or None
        What the program reads; a static network has none.
    """

    program: str
    tiles: list[Path]
    header: Path
    tables: Path | None


def texts_of(spec: AnySpec, queue: int, *, waves: bool = False) -> Texts:
    """Return the files of a network's fabric, from the cache if they are there.

    So a network that was built before needs no hardware description, which takes a while to import.

    Raises
    ------
    OutputError
        The cache cannot be written.
    """
    offload = getattr(spec, "offload", None)
    settings = {
        "fabric": spec.model_dump_json(),
        "operator": offload.verilog if offload else "",
        "queue": queue,
        "waves": waves,
        "sources": sources_of(*DECIDING, "syncfabric.sim.fabric"),
        "amaranth": version("amaranth"),
    }

    def write(scratch: Path, result: Path) -> None:
        from syncfabric.sim.fabric.parts import network_h, parts_of

        program, tiles, tables = parts_of(spec, queue=queue, waves=waves)
        for number, (top, text) in enumerate(tiles.items()):
            (result / f"{number}").mkdir()
            (result / f"{number}" / f"{top}.v").write_text(text)
        (result / "network.h").write_text(network_h(spec))
        (result / "program").write_text(program)
        if tables:
            (result / "tables.txt").write_text(tables)

    folder, _ = Cache(cache_folder() / "verilog").get(fingerprint(settings, []), write)
    tiles = sorted(folder.glob("*/*.v"), key=lambda file: int(file.parent.name))
    tables = folder / "tables.txt"
    program = (folder / "program").read_text()
    return Texts(program, tiles, folder / "network.h", tables if tables.exists() else None)


def build_fabric(
    spec: AnySpec, *, waves: bool = False, queue: int = 16384, flags: Sequence[str] = ()
) -> Built:
    """Compile a network's tiles and the program that links them, or take it from the cache.

    Parameters
    ----------
    spec : AnySpec
        The network. Its size changes constants only, so building takes the same time for all;
        what is linked where changes a file alone, which the program reads.
    waves : bool
        Make it possible for a run to write a waveform.
    queue : int
        Packets that can wait at a source.
    flags : sequence of str
        Further options for Verilator.

    Raises
    ------
    ToolError
        Verilator or the C++ compiler is missing.
    """
    texts = texts_of(spec, queue, waves=waves)
    designs = [Design(tile.stem, [tile], trace=waves) for tile in texts.tiles]
    with tempfile.TemporaryDirectory() as name, Cache().using():
        folder = Path(name)
        for file in (texts.program, *_HEADERS):
            text = files("syncfabric.sim.fabric").joinpath(file).read_text()
            (folder / file).write_text(text)
        shutil.copyfile(texts.header, folder / "network.h")
        headers = [folder / header for header in ("network.h", *_HEADERS)]
        built = Verilator.find().build_native(
            designs, folder / texts.program, headers=headers, flags=flags
        )
        os.utime(texts.header.parent)  # the tables are used when the program starts
    return replace(built, data=texts.tables)
