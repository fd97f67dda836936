"""What a network's fabric is built from: its tiles, constants and tables; kept by content."""

from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from syncfabric.models.cache import cache_folder, fingerprint, sources_of
from syncfabric.models.networks.spec import AnySpec
from syncfabric.sim.simulators.cache import DECIDING, Cache


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
