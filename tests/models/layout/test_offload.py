"""A designer's own operator: its files, and what its model may do."""

from pathlib import Path
from typing import Any

import pytest

from syncfabric.models.errors import SpecError
from syncfabric.models.layout.offload import Offload
from syncfabric.models.networks.reader import load, loads
from syncfabric.models.networks.spec import MeshSpec
from tests.mixed import UNIT, mixed

MESH = 'name = "a"\n[network]\nkind = "mesh"\nwidth = 2\nheight = 2\nwires = 1\nstreams = 1\n'
TABLE = '[network.offload]\nmodule = "mixed"\nfiles = ["mixed.v"]\nmodel = "mixed.py:combine"\n'
OWN = f'{MESH}stream_bits = 64\nstream_operations = ["offload"]\n{TABLE}'


def test_what_a_model_computes() -> None:
    assert mixed().of(7, 64)((1 << 64) - 1, 2) == 12


def test_a_file_names_files_from_its_folder(tmp_path: Path) -> None:
    for file in UNIT.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "own.toml").write_text(OWN)
    network = load(tmp_path / "own.toml").message_network
    unit = network.shape.router.offload
    assert unit
    assert (UNIT / "mixed.v").read_text() in unit.verilog
    assert unit.of(0, 64)(1, 2) == 7
    assert network.changed(channels=2).shape.router.offload == unit
    assert network.model_dump()["offload"] == mixed(1).model_dump()
    assert str(tmp_path) not in network.model_dump_json()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (TABLE, "", 'stream_operations names "offload"; say in [network.offload] what that is'),
        (
            'stream_operations = ["offload"]\n',
            "",
            'offload is not in use; add "offload" to stream_operations, or remove it',
        ),
        (TABLE, 'offload = "mixed"\n', 'offload must be a table, not "mixed"'),
        ('module = "mixed"\n', "", "offload: module is missing; it must be the name of a Verilog"),
        ('"mixed"', '"a b"', 'offload: module must be the name of a Verilog module, not "a b"'),
        ('"mixed"', '"other"', "offload: there is no module other in mixed.v; add it"),
        ('["mixed.v"]', "[]", "offload: files must be a list of one or more, not []"),
        (
            "mixed.v",
            "gone.v",
            "offload: gone.v does not exist; give its path from the network file's folder",
        ),
        (
            "mixed.py:combine",
            "mixed.py",
            'offload: model must be a Python file and a function of it, as "unit.py:combine", not '
            '"mixed.py"',
        ),
        ("mixed.py", "gone.py", "offload: gone.py does not exist; give its path"),
        (":combine", ":other", "offload: there is no function other in mixed.py; add it"),
        ("module =", "latency = 9\nmodule =", "offload: latency must be 1 to 8, not 9"),
        ("module =", "late = 9\nmodule =", 'offload: unknown key "late"; did you mean "latency"?'),
    ],
)
def test_what_a_file_may_not_say(old: str, new: str, message: str) -> None:
    loads(OWN, UNIT)
    with pytest.raises(SpecError) as error:
        loads(OWN.replace(old, new), UNIT)
    assert str(error.value).startswith(f"network: {message}")


def unit(folder: Path, source: str) -> Offload:
    """Return a unit with this model."""
    (folder / "own.v").write_text("module own; endmodule\n")
    (folder / "own.py").write_text(source)
    made = Offload(module="own", files=("own.v",), model="own.py:combine")
    return made.found_in(folder)


CALL = "own.py:combine(0x1, 0x2, 3)"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("raise KeyError(a)", f"{CALL} raises KeyError: 1"),
        ("return -1", f"{CALL} returns -1, which is no word of 32 bits"),
        ("return 1 << 32", f"{CALL} returns 4294967296, which is no word of 32 bits"),
        ("return None", f"{CALL} raises TypeError: "),
        ("return 2.0", f"{CALL} raises TypeError: "),
        ("return a\n1/0", "own.py cannot be run: ZeroDivisionError: division by zero"),
        ("return a a", "own.py cannot be run: SyntaxError: "),
    ],
)
def test_what_a_model_may_not_do(tmp_path: Path, body: str, message: str) -> None:
    made = unit(tmp_path, f"def combine(a, b, op):\n    {body}\n")
    with pytest.raises(SpecError) as error:
        made.of(3, 32)(1, 2)
    assert str(error.value).startswith(f"network: offload: {message}")
    assert "\n" not in str(error.value)


def test_a_model_is_not_run_to_plan_or_to_build(tmp_path: Path) -> None:
    made = unit(tmp_path, "raise SystemExit('run')\ndef combine(a, b, op):\n    return a\n")
    keys: dict[str, Any] = {"streams": 1, "wires": 1, "stream_operations": ("offload",)}
    mesh = MeshSpec(kind="mesh", width=2, height=2, **keys, offload=made)
    from syncfabric.sim.assemble.network import verilog

    assert "\nmodule own;" in verilog(mesh, "network")


def test_numpy_s_numbers_are_numbers(tmp_path: Path) -> None:
    source = "import numpy as np\ndef combine(a, b, op):\n    return np.uint32(a) + np.uint32(b)\n"
    assert unit(tmp_path, source).of(0, 32)(1, 2) == 3
