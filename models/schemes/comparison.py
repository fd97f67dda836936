"""All schemes, and the times that they are asked with."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields, replace

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.explain import did_you_mean
from syncfabric.models.plugins import plugins
from syncfabric.models.schemes.irregular import IRREGULAR
from syncfabric.models.schemes.loggp import ANYWHERE, STATIC
from syncfabric.models.schemes.mesh import MESH
from syncfabric.models.schemes.scheme import Kind, Scheme, checked_cost
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
    every = (*SCHEMES, *plugins("syncfabric.schemes", Scheme, checked_cost).values())
    fitting = {scheme.name: scheme for scheme in every if kind in scheme.kinds}
    chosen = list(dict.fromkeys(names))
    for name in chosen:
        if name in fitting:
            continue
        kinds = [kind for scheme in every if scheme.name == name for kind in scheme.kinds]
        if kinds:
            whose = " and ".join(kinds)
            raise SpecError(f"--scheme: {name} is for {whose} networks, and this one is {kind}")
        raise SpecError(f'--scheme: unknown scheme "{name}"; {did_you_mean(name, fitting)}')
    return [fitting[name] for name in chosen or fitting]


def names_of(scheme: Scheme) -> list[str]:
    """Return the names of a scheme's times."""
    return [field.name for field in fields(scheme.times)]


def times_for(
    schemes: Iterable[Scheme],
    values: Mapping[str, float],
    preset: str | None = None,
    *,
    option: str = "--set",
) -> dict[Scheme, Times]:
    """Return the times of each scheme: its own, or those of a machine, with some of them set.

    Parameters
    ----------
    schemes : iterable of Scheme
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
    found = {scheme: scheme.times() for scheme in schemes}
    known = sorted({name for scheme in found for name in names_of(scheme)})
    for name in values:
        if name not in known:
            raise SpecError(f'{option}: unknown time "{name}"; {did_you_mean(name, known)}')
    if preset is not None:
        if preset not in PRESETS:
            raise SpecError(
                f'--preset: unknown machine "{preset}"; {did_you_mean(preset, PRESETS)}'
            )
        under = [scheme for scheme in found if issubclass(scheme.times, LogGP)]
        if not under:
            raise SpecError("--preset: none of these schemes is under LogGP; leave it out")
        for scheme in under:
            found[scheme] = replace(found[scheme], **asdict(PRESETS[preset]))
    for scheme, times in found.items():
        most = times.most_ns()
        own = {name: value for name, value in values.items() if name in most}
        for name, value in own.items():
            if not 0 <= value <= most[name]:
                span = f"it must be 0 to {most[name]:,} for {scheme.name}, not {value:,}"
                raise SpecError(f"{option} {name}: {span}")
        found[scheme] = replace(times, **own)
    return found
