"""All schemes, and those of a kind of network."""

from __future__ import annotations

from collections.abc import Iterable

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.explain import did_you_mean
from syncfabric.models.schemes.anywhere.schemes import ANYWHERE
from syncfabric.models.schemes.irregular.schemes import IRREGULAR
from syncfabric.models.schemes.mesh.schemes import MESH
from syncfabric.models.schemes.scheme import Kind, Scheme
from syncfabric.models.schemes.static.schemes import STATIC

__all__ = ["SCHEMES", "schemes_for"]

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
