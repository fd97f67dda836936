"""Networks and programs for the tests of many cores."""

from pathlib import Path

from syncfabric.models.networks.spec import NetworkSpec
from syncfabric.sim.cores.compile import BARRIERS, compile_program
from syncfabric.sim.cores.program import Program
from syncfabric.sim.cores.system import FLITS, HARDWARE

PROGRAMS = Path(__file__).parents[3] / "sim" / "cores" / "programs"
SOFTWARE = PROGRAMS.with_name("software")
MESSAGES = [name for name in BARRIERS if name not in HARDWARE | FLITS]
"""The barriers over messages."""


def mesh(width: int, height: int, **keys: object) -> NetworkSpec:
    network = {"kind": "mesh", "width": width, "height": height, "channels": 2, **keys}
    return NetworkSpec.model_validate({"name": "net", "network": network})


def program(
    name: str, barrier: str = "engine", spec: NetworkSpec | None = None, **defines: int | str
) -> Program:
    """Compile one of the ready-made programs."""
    given = {key: str(value) for key, value in defines.items()}
    spec = spec or mesh(8, 8)
    return compile_program(PROGRAMS / f"{name}.c", spec=spec, barrier=barrier, defines=given)
