"""Barrier schemes compared on the groups of a network, and over a range of one time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from syncfabric.models.errors import PlanError, SpecError
from syncfabric.models.files import csv_text
from syncfabric.models.networks.members import check_members, name_members
from syncfabric.models.networks.spec import AnySpec, GroupSpec, NetworkSpec
from syncfabric.models.parsed import parse_toml
from syncfabric.models.schemes.comparison import names_of, times_for
from syncfabric.models.schemes.scheme import Cost, Scheme
from syncfabric.models.timing.times import Times
from syncfabric.sim.tables import Rows, Titled
from syncfabric.sim.words import count, network_words

APART = (
    "The formulas of papers BTM and BTIN start each message in software (t_s); LogGP has o in "
    "its place, with the times of another machine. Compare latencies of one kind only."
)

MOST = 1000
"""Values of a range."""

COLUMNS = {
    "setup_messages": "set-up\nmessages",
    "setup_nodes": "nodes\ntouched",
    "height": "height",
    "latency_ns": "latency\n(ns)",
    "start_up_ns": "of it\nstart-up",
    "traversals": "link\ntraversals",
}
"""Values of a row, and their heads."""
WORDS = ("scheme", "what it does", "time from")


@dataclass(frozen=True)
class Range:
    """Values of a time, from the first to the last, both taken.

    Parameters
    ----------
    name : str
    values : tuple of float
    """

    name: str
    values: tuple[float, ...]

    @classmethod
    def read(cls, text: str) -> Range:
        """Return the range that ``NAME=FROM:TO:STEP`` gives.

        Raises
        ------
        SpecError
            It is not of this form, is empty, or has too many values.
        """
        name, _, rest = text.partition("=")
        try:
            first, last, step = map(float, rest.split(":"))
        except ValueError:
            raise SpecError(
                f'--sweep: it must be NAME=FROM:TO:STEP, as t_rm=20:60:10, not "{text}"'
            ) from None
        if not (step > 0 and first <= last < float("inf")):
            raise SpecError(f"--sweep {name}: FROM must not be above TO, and STEP above 0")
        # A little more than the last step, for sums of fractions fall short of it.
        steps = (last - first) / step + 1e-9
        if not steps < MOST:
            raise SpecError(f"--sweep {name}: more than {MOST:,} values; take a longer STEP")
        values = tuple(round(first + step * number, 9) for number in range(int(steps) + 1))
        return cls(name.strip(), values)


@dataclass(frozen=True)
class Row:
    """A scheme for a group.

    Parameters
    ----------
    scheme : Scheme
    times : Times
        That it was asked with.
    cost : Cost or None
        None if it cannot serve the group.
    reason : str
        Why it cannot.
    start_up_ns : float
        What of the latency is start-ups of messages in software.
    swept : list of float
        Latency in nanoseconds at each value of the range; empty without one.
    """

    scheme: Scheme
    times: Times
    cost: Cost | None
    reason: str = ""
    start_up_ns: float = 0.0
    swept: tuple[float, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the row as ``--json`` prints it."""
        scheme = self.scheme
        head: dict[str, Any] = {"name": scheme.name, "title": scheme.title, "place": scheme.place}
        head |= {"times_from": self.times.ORIGIN, "times_ns": asdict(self.times)}
        if self.cost is None:
            return {**head, "reason": self.reason}
        return {**head, **asdict(self.cost), "start_up_ns": self.start_up_ns}


def _row(
    scheme: Scheme, times: Times, network: AnySpec, group: GroupSpec, span: Range | None
) -> Row:
    def ns(given: Times) -> float:
        return scheme.cost(network, group.members, given).latency_ns

    try:
        cost = scheme.cost(network, group.members, times)
    except PlanError as error:
        return Row(scheme, times, None, str(error).removeprefix("group 0: "))
    start_up = cost.latency_ns - ns(replace(times, **{"t_s": 0.0})) if times.SOFTWARE else 0.0
    swept: tuple[float, ...] = ()
    if span is not None:
        own = span.name in names_of(scheme)
        changed = ({span.name: value} if own else {} for value in span.values)
        swept = tuple(ns(replace(times, **change)) for change in changed)
    return Row(scheme, times, cost, start_up_ns=start_up, swept=swept)


@dataclass(frozen=True)
class GroupCosts:
    """What a group's barriers cost in each scheme.

    Parameters
    ----------
    group : GroupSpec
    rows : list of Row
    """

    group: GroupSpec
    rows: list[Row]

    @property
    def swept(self) -> dict[str, list[float]]:
        """Latency in nanoseconds by scheme at each value of the range; empty without one."""
        return {row.scheme.name: list(row.swept) for row in self.rows if row.swept}


@dataclass(frozen=True)
class Compared:
    """Schemes on a network.

    Parameters
    ----------
    spec : NetworkSpec
    groups : list of GroupCosts
    span : Range or None
        The range that was swept.
    """

    spec: NetworkSpec
    groups: list[GroupCosts]
    span: Range | None

    def to_json(self) -> dict[str, Any]:
        """Return what ``--json`` prints."""
        return {"network": self.spec.name, "groups": list(map(self._group_json, self.groups))}

    def to_csv(self) -> str:
        """Return a line a group and scheme, or a line a group and value of what was swept."""
        if self.span is None:
            heads = ("name", *COLUMNS, "times_from", "reason")
            rows = ((costs.group.id, row.to_json()) for costs in self.groups for row in costs.rows)
            cells = ([number, *map(values.get, heads)] for number, values in rows)
            return csv_text(("group", *heads), cells)
        swept = (
            (costs.group.id, name, value, latency)
            for costs in self.groups
            for name, latencies in costs.swept.items()
            for value, latency in zip(self.span.values, latencies, strict=True)
        )
        return csv_text(("group", "scheme", self.span.name, "latency_ns"), swept)

    def _group_json(self, costs: GroupCosts) -> dict[str, Any]:
        found = {
            "id": costs.group.id,
            "members": len(costs.group.members),
            "schemes": [row.to_json() for row in costs.rows],
        }
        if self.span is not None:
            found["sweep"] = {
                "time": self.span.name,
                "values": list(self.span.values),
                "latency_ns": costs.swept,
            }
        return found


def compare_groups(
    spec: NetworkSpec,
    groups: Sequence[GroupSpec],
    schemes: Sequence[Scheme],
    values: Mapping[str, float],
    preset: str | None = None,
    span: Range | None = None,
) -> Compared:
    """Ask each scheme for each group.

    Parameters
    ----------
    spec : NetworkSpec
    groups : sequence of GroupSpec
    schemes : sequence of Scheme
        For this kind of network.
    values : mapping of str to float
        Times that are not to have their default, in nanoseconds.
    preset : str, optional
        The machine of the schemes under LogGP.
    span : Range, optional
        A time to be swept.

    Raises
    ------
    SpecError
        No scheme has a time of that name, or it is out of range; there is no such machine.
    """
    times = times_for(schemes, values, preset)
    if span is not None:
        for value in (span.values[0], span.values[-1]):
            times_for(schemes, {span.name: value}, option="--sweep")
    costs = [
        GroupCosts(group, [_row(*asked, spec.network, group, span) for asked in times.items()])
        for group in groups
    ]
    return Compared(spec, costs, span)


def group_of(spec: NetworkSpec, members: str) -> GroupSpec:
    """Return a group 0 of members that are given as in a network file.

    Raises
    ------
    SpecError
        They are no nodes of the network.
    """
    value: Any = "all"
    if members != "all":
        try:
            value = parse_toml(f"members = {members}")["members"]
        except SpecError:
            value = members
    topology = spec.network.topology
    found = name_members("--members", value, topology)
    try:
        group = GroupSpec(id=0, members=found)
        check_members(0, found, topology)
    except SpecError as error:
        raise SpecError(f"--members: {str(error).removeprefix('group 0: ')}") from None
    return group


def number_words(value: float) -> str:
    """Return a number as tables and pictures have it: to four digits, and a tenth at least."""
    if value == int(value):
        return f"{int(value):,}"
    return f"{value:,.4g}" if value < 1000 else f"{value:,.1f}"


def scheme_tables(compared: Compared) -> Iterator[Titled]:
    """Yield a table for each group, and one for each of its sweep."""
    network = f"{compared.spec.name}: {network_words(compared.spec.network)}"
    for costs in compared.groups:
        members = count(len(costs.group.members), "member")
        title = f"{network}; group {costs.group.id}, {members}"
        yield Titled(title, _costs(costs), "\n".join(_notes(costs.rows)), WORDS)
        if (span := compared.span) is not None:
            rows = [
                [f"{x:,.10g}", *map(number_words, swept)]
                for x, *swept in zip(span.values, *costs.swept.values(), strict=True)
            ]
            yield Titled(
                f"{title}: latency in ns over {span.name}", ([span.name, *costs.swept], rows)
            )


def _costs(costs: GroupCosts) -> Rows:
    rows = []
    for row in costs.rows:
        values = row.to_json()
        cells = ["–" if row.cost is None else number_words(values[name]) for name in COLUMNS]
        rows.append([row.scheme.name, row.scheme.title, *cells, row.times.ORIGIN])
    return [*WORDS[:2], *COLUMNS.values(), WORDS[2]], rows


def _notes(rows: list[Row]) -> Iterator[str]:
    """Yield where latencies come from, the times put in, and why a scheme cannot serve the group.

    Schemes with the same times share a line.
    """
    same: dict[str, list[str]] = {}
    for row in rows:
        times = ", ".join(
            f"{name} {number_words(value)}" for name, value in asdict(row.times).items()
        )
        if row.cost is not None:
            same.setdefault(times, []).append(row.scheme.name)
    for times, names in same.items():
        yield f"{', '.join(names)}: {times} (ns)"
    if len({row.times.SOFTWARE for row in rows}) > 1:
        yield APART
    for row in rows:
        if row.cost is None:
            yield f"{row.scheme.name} cannot serve it: {row.reason}"
