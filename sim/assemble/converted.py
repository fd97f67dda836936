"""Verilog of a component, converted once for the same sources and parameters."""

import functools
import json
from collections.abc import Callable
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

from amaranth.lib import wiring
from pydantic import BaseModel

from syncfabric.sim.assemble.verilog import convert
from syncfabric.sim.simulators.cache import Cache, cache_folder, fingerprint

__all__ = ["converted"]

_DECIDING = ("syncfabric.rtl", "syncfabric.models", "syncfabric.sim.assemble")
"""Packages whose sources decide what comes out."""


def converted(
    make: Callable[..., wiring.Component], name: str, *parameters: BaseModel | int
) -> str:
    """Return the Verilog of ``make(*parameters)``, from the cache if it is there.

    Parameters
    ----------
    make : callable
        A class of component, or a function of a module that makes one.
    name : str
        Of the Verilog module.
    parameters : specs and numbers
        All that the component depends on.

    Raises
    ------
    OutputError
        The cache cannot be written.
    """
    settings = {
        "component": f"{make.__module__}.{make.__qualname__}",
        "name": name,
        "parameters": [_plain(parameter) for parameter in parameters],
        "sources": _sources(),
        "amaranth": version("amaranth"),
    }

    def build(scratch: Path, result: Path) -> None:
        (result / "module.v").write_text(convert(make(*parameters), name))

    folder, _ = Cache(cache_folder() / "verilog").get(fingerprint(settings, []), build)
    return (folder / "module.v").read_text()


def _plain(parameter: BaseModel | int) -> str:
    return (
        parameter.model_dump_json() if isinstance(parameter, BaseModel) else json.dumps(parameter)
    )


@functools.cache
def _sources() -> str:
    """Fingerprint what the modules of these packages say."""
    folders = [Path(str(files(package))) for package in _DECIDING]
    sources = [file for folder in folders for file in sorted(folder.rglob("*.py"))]
    return fingerprint({}, sources)
