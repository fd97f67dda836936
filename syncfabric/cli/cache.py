"""``syncfabric cache``."""

from typing import TYPE_CHECKING, Annotated

import typer

from syncfabric.cli.options import Json, emit, show

if TYPE_CHECKING:
    from syncfabric.sim.simulators.cache import CacheUse
    from syncfabric.sim.tables import Titled


def cache(
    clear: Annotated[
        bool, typer.Option("--clear", help="Remove everything, after running builds.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show the cache and its limits.

    Builds, Verilog and results are in $SYNCFABRIC_CACHE, else syncfabric in the XDG cache folder.
    Above a limit, entries longest unused are removed, except those of the last hour.
    """
    from syncfabric.sim.simulators.cache import cache_use, clear_cache

    if clear:
        freed = clear_cache()
        typer.echo(f"removed {_mb(freed)} MB", err=True)
    emit(cache_use(), as_json, lambda use: show(_table(use)))


def _table(use: "CacheUse") -> "Titled":
    from syncfabric.sim.tables import Titled, cell

    heads = ["part", "what it keeps", "entries", "MB", "limit, MB"]
    rows = [
        [p.name, p.what, cell(p.entries), _mb(p.bytes), "" if p.limit is None else _mb(p.limit)]
        for p in use.parts
    ]
    return Titled(
        use.folder, (heads, rows), f"{_mb(use.bytes)} MB in all", ("part", "what it keeps")
    )


def _mb(size: int) -> str:
    return f"{size / 1e6:,.1f}"
