"""Hardware barriers and collectives for networks-on-chip, from paper to Verilog.

The names below are looked up when first used, so that ``import syncfabric.models`` loads no
Amaranth and the command line starts at once.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from syncfabric.sim.network import Network

__all__ = ["Network", "__version__"]

__version__ = "0.1.0"

_HOMES = {"Network": "syncfabric.sim.network"}


def __getattr__(name: str) -> object:
    """Import a public name from its home module on first use."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the lazy names too, for completion in a notebook."""
    return sorted({*globals(), *_HOMES})
