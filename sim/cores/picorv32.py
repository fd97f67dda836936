"""PicoRV32: its Verilog comes from a package, and nothing of it is kept here."""

from importlib.util import find_spec
from pathlib import Path

from syncfabric.models.errors import ToolError, how_to_install


def picorv32_file() -> Path:
    """Return the file of the core's Verilog, module ``picorv32``.

    Raises
    ------
    ToolError
        The package is not installed.
    """
    package = find_spec("pythondata_cpu_picorv32")
    if package is None or not package.submodule_search_locations:
        raise ToolError(
            "the package pythondata-cpu-picorv32, which has the cores' Verilog, is not installed; "
            f"{how_to_install('cores')}"
        )
    return Path(package.submodule_search_locations[0]) / "verilog" / "picorv32.v"
