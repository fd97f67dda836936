"""Hardware barriers and collectives for networks-on-chip, from paper to Verilog.

The public names are those of ``__init__.pyi``. Each is imported when first used, so that ``import
syncfabric.models`` loads no Amaranth and the command line starts at once.
"""

from importlib import import_module

__version__ = "0.1.0"


def _homes() -> dict[str, tuple[str, str]]:
    """Return the module and the name there of each public name, from the lines of the stub.

    They are ``from MODULE import NAME as NAME``, or ``… as _PUBLIC`` and ``PUBLIC = _PUBLIC``.
    """
    with open(f"{__file__}i", encoding="utf-8") as stub:
        imports = [line.split() for line in stub if line.startswith("from ")]
    return {public.lstrip("_"): (home, own) for _, home, _, own, _, public in imports}


_HOMES = _homes()
__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> object:
    """Import a public name from its home module on first use."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home, own = _HOMES[name]
    value: object = getattr(import_module(home), own)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the lazy names too, for completion in a notebook."""
    return sorted({*globals(), *_HOMES})
