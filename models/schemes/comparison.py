"""All schemes, and what the barriers of one group cost in each, or why they cannot be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from syncfabric.models.errors import PlanError, SpecError
from syncfabric.models.networks.explain import did_you_mean
from syncfabric.models.networks.mesh import Node
from syncfabric.models.networks.spec import AnySpec
from syncfabric.models.schemes.irregular import IRREGULAR
from syncfabric.models.schemes.loggp import ANYWHERE, STATIC
from syncfabric.models.schemes.mesh import MESH
from syncfabric.models.schemes.scheme import Cost, Kind, Scheme
from syncfabric.models.timing.loggp import PRESETS, LogGP
from syncfabric.models.timing.times import Times

SCHEMES: tuple[Scheme, ...] = (*MESH, *IRREGULAR, *STATIC, *ANYWHERE)
"""A name may stand for one scheme of meshes and another of irregular networks."""


def schemes_for(kind: Kind, names: Iterable[str] = ()) -> list[Scheme]:
    """Return the schemes of these names, each once; without names all that are for a kind.

    Raises
    ------
    SpecError
        There is no scheme of a name for this kind.
    """
    fitting = {scheme.name: scheme for scheme in SCHEMES if kind in scheme.kinds}
    chosen = list(dict.fromkeys(names))
    for name in chosen:
        if name in fitting:
            continue
        kinds = [kind for scheme in SCHEMES if scheme.name == name for kind in scheme.kinds]
        if kinds:
            whose = " and ".join(kinds)
            raise SpecError(f"--scheme: {name} is for {whose} networks, and this one is {kind}")
        raise SpecError(f'--scheme: unknown scheme "{name}"; {did_you_mean(name, fitting)}')
    return [fitting[name] for name in chosen or fitting]


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
    """

    scheme: Scheme
    times: Times
    cost: Cost | None
    reason: str = ""
    start_up_ns: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """Return the row as ``--json`` prints it."""
        scheme = self.scheme
        head: dict[str, Any] = {"name": scheme.name, "title": scheme.title, "place": scheme.place}
        head |= {"times_from": self.times.ORIGIN, "times_ns": asdict(self.times)}
        if self.cost is None:
            return {**head, "reason": self.reason}
        return {**head, **asdict(self.cost), "start_up_ns": self.start_up_ns}

    def over(
        self, network: AnySpec, members: Sequence[Node], name: str, values: Sequence[float]
    ) -> list[float]:
        """Return its latency in nanoseconds at each value of a time; without such a time, one."""
        if name not in names_of(self.scheme):
            assert self.cost is not None
            return [self.cost.latency_ns] * len(values)
        times = (replace(self.times, **{name: value}) for value in values)
        return [self.scheme.cost(network, members, one).latency_ns for one in times]


def names_of(scheme: Scheme) -> list[str]:
    """Return the names of a scheme's times."""
    return [field.name for field in fields(scheme.times)]


def times_for(
    schemes: Sequence[Scheme],
    values: Mapping[str, float],
    preset: str | None = None,
    *,
    option: str = "--set",
) -> list[Times]:
    """Return the times of each scheme: its own, or those of a machine, with some of them set.

    Parameters
    ----------
    schemes : sequence of Scheme
    values : mapping of str to float
        By name; each scheme takes those that it has.
    preset : str, optional
        A machine of ``PRESETS``, for the schemes under LogGP.
    option : str
        That names the values.

    Raises
    ------
    SpecError
        No scheme has a time of a name, or it is out of range; there is no such machine, or no
        scheme is under LogGP.
    """
    known = sorted({name for scheme in schemes for name in names_of(scheme)})
    for name in values:
        if name not in known:
            raise SpecError(f'{option}: unknown time "{name}"; {did_you_mean(name, known)}')
    if preset is not None:
        if preset not in PRESETS:
            raise SpecError(
                f'--preset: unknown machine "{preset}"; {did_you_mean(preset, PRESETS)}'
            )
        if not any(issubclass(scheme.times, LogGP) for scheme in schemes):
            raise SpecError("--preset: none of these schemes is under LogGP; leave it out")
    return [_times(scheme, values, preset, option) for scheme in schemes]


def compare(
    network: AnySpec, members: Sequence[Node], schemes: Sequence[Scheme], times: Sequence[Times]
) -> list[Row]:
    """Return what the barriers of a group cost in each scheme.

    Parameters
    ----------
    network : MeshSpec, IrregularSpec or StaticSpec
    members : sequence of Node
    schemes : sequence of Scheme
        That are for this kind of network.
    times : sequence of Times
        Of each.
    """
    rows = []
    for scheme, own in zip(schemes, times, strict=True):
        try:
            cost = scheme.cost(network, members, own)
            started = 0.0
            if own.SOFTWARE:
                without = scheme.cost(network, members, replace(own, **{"t_s": 0.0}))
                started = cost.latency_ns - without.latency_ns
            rows.append(Row(scheme, own, cost, start_up_ns=started))
        except PlanError as error:
            rows.append(Row(scheme, own, None, str(error).removeprefix("group 0: ")))
    return rows


def _times(scheme: Scheme, values: Mapping[str, float], preset: str | None, option: str) -> Times:
    times = scheme.times()
    if preset is not None and isinstance(times, LogGP):
        times = replace(times, **asdict(PRESETS[preset]))
    own = {name: values[name] for name in names_of(scheme) if name in values}
    for name, value in own.items():
        most = times.most_ns()[name]
        if not 0 <= value <= most:
            raise SpecError(
                f"{option} {name}: it must be 0 to {most:,} for {scheme.name}, not {value:,}"
            )
    return replace(times, **own)
