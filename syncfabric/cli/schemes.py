"""``syncfabric schemes``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from syncfabric.cli.options import Json, Net, emit, settings, show

if TYPE_CHECKING:
    from syncfabric.models.networks.spec import GroupSpec, NetworkSpec
    from syncfabric.sim.schemes import Compared


def schemes(
    net: Net,
    group: Annotated[
        list[int] | None,
        typer.Option(metavar="ID", help="Group; by default all."),
    ] = None,
    members: Annotated[
        str | None,
        typer.Option(
            metavar="MEMBERS",
            help='Members, not groups, as all, "[[0, 0], [3, 2]]", "{ random = 9, seed = 1 }".',
        ),
    ] = None,
    scheme: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Scheme; by default all."),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Set a time in ns, as t_rm=60."),
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option(metavar="MACHINE", help="LogGP times: tile64 or infiniband."),
    ] = None,
    sweep: Annotated[
        str | None,
        typer.Option(metavar="NAME=FROM:TO:STEP", help="Sweep a time, as t_rm=20:60:10."),
    ] = None,
    as_json: Json = False,
    draw: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw it as .svg or .png."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE.csv", help="Write CSV.")
    ] = None,
) -> None:
    """Compare the cost of barrier schemes."""
    from syncfabric.models.schemes.comparison import schemes_for
    from syncfabric.sim.draw.page import format_of
    from syncfabric.sim.network import Network
    from syncfabric.sim.output import check_file
    from syncfabric.sim.schemes import Range, compare_groups

    spec = Network.load(net).spec
    chosen = schemes_for(spec.network.kind, scheme or [])
    groups = _groups(spec, group, members)
    values = settings(set_, "--set")
    span = None if sweep is None else Range.read(sweep)
    for file in filter(None, (draw, output)):
        check_file(file)
    if draw is not None:
        format_of(draw)
    compared = compare_groups(spec, groups, chosen, values, preset, span)
    _write(compared, draw, output)
    emit(compared, as_json, _print)


def _groups(
    spec: "NetworkSpec", ids: list[int] | None, members: str | None
) -> "tuple[GroupSpec, ...]":
    """Return the groups that the options name.

    Raises
    ------
    SpecError
        There is none, or its members are no nodes.
    """
    from syncfabric.models.errors import SpecError
    from syncfabric.sim.schemes import group_of

    if members is not None:
        if ids:
            raise SpecError("--group: --members takes the place of groups; leave one out")
        return (group_of(spec, members),)
    known = {group.id: group for group in spec.groups}
    if not known:
        raise SpecError(f"{spec.name} has no groups; give --members, as --members all")
    for number in ids or ():
        if number not in known:
            listed = ", ".join(map(str, known))
            raise SpecError(f"--group: {spec.name} has no group {number}; it has {listed}")
    return tuple(known[number] for number in dict.fromkeys(ids or known))


def _print(compared: "Compared") -> None:
    from syncfabric.sim.schemes import scheme_tables

    show(*scheme_tables(compared))


def _write(compared: "Compared", draw: Path | None, output: Path | None) -> None:
    from syncfabric.sim.output import write_file

    if draw is not None:
        from syncfabric.sim.draw.charts import schemes_figure
        from syncfabric.sim.draw.page import format_of, picture

        write_file(draw, picture(schemes_figure(compared), format_of(draw)))
        typer.echo(f"wrote {draw}", err=True)
    if output is not None:
        write_file(output, compared.to_csv())
        typer.echo(f"wrote {output}", err=True)
