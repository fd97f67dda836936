"""The files of a fabric, kept by all that decides them."""

import subprocess
import sys
from pathlib import Path

import pytest

from syncfabric.models.networks.reader import load
from syncfabric.models.networks.spec import AnySpec
from syncfabric.sim.fabric import nodes, parts, static
from syncfabric.sim.fabric.build import texts_of


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYNCFABRIC_CACHE", str(tmp_path))


def made(spec: AnySpec) -> dict[str, str]:
    return {tile.stem: tile.read_text() for tile in texts_of(spec, 16).tiles}


@pytest.mark.nightly
def test_kept_files_are_what_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    mesh, ring = load("mesh-2x2").message_network, load("reflex-2x2").network
    first = made(mesh)
    assert [*first.items()] == [*nodes.tiles(mesh, queue=16).items()]
    texts = texts_of(mesh, 16)
    assert texts.header.read_text() == parts.network_h(mesh)
    assert texts.tables is not None
    assert texts.tables.read_text() == parts.tables_text(mesh)
    assert texts_of(mesh.model_copy(update={"width": 3}), 16).tables != texts.tables
    assert [*made(ring).values()] == [*static.tiles(ring).values()]  # type: ignore[arg-type]
    assert texts_of(ring, 16).tables is None
    monkeypatch.setattr(parts, "tiles", None)
    assert made(mesh) == first
    monkeypatch.setattr("syncfabric.sim.fabric.build.sources_of", lambda *_: "others")
    with pytest.raises(TypeError):
        made(mesh)


def test_a_network_that_was_built_needs_no_hardware_description() -> None:
    program = (
        "import sys; from syncfabric.sim.fabric.build import texts_of; "
        "from syncfabric.models.networks.reader import load; "
        "import syncfabric.sim.drive.run; "
        "texts_of(load('reflex-2x2').network, 16); print('amaranth' in sys.modules)"
    )
    said = [subprocess.check_output([sys.executable, "-c", program], text=True) for _ in range(2)]
    assert said == ["True\n", "False\n"]
