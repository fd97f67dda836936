"""What other packages add to Syncfabric: objects that they announce as entry points.

=========================== =======================================================
group                       object
=========================== =======================================================
``syncfabric.topologies``   ``models.networks.family.Family``
``syncfabric.planners``     a function, see ``models.planning.planners.Planner``
``syncfabric.schemes``      ``models.schemes.scheme.Scheme``
``syncfabric.methods``      ``models.collectives.methods.Method``
``syncfabric.experiments``  ``sim.experiments.frame.Experiment``
=========================== =======================================================
"""

from functools import cache
from importlib.metadata import entry_points
from typing import Any

from syncfabric.models.errors import SpecError

__all__ = ["plugins"]


@cache
def plugins(group: str) -> dict[str, Any]:
    """Return the objects of a group by the names of their entry points.

    Parameters
    ----------
    group : str
        As in the table above.

    Raises
    ------
    SpecError
        A package that announces one cannot be imported, or has no such object.
    """
    found = {}
    for point in entry_points(group=group):
        try:
            found[point.name] = point.load()
        except Exception as error:
            whose = f' of package "{point.dist.name}"' if point.dist else ""
            raise SpecError(
                f'entry point "{point.name}" in {group}{whose} cannot be loaded from'
                f" {point.value}: {error}; correct or uninstall the package"
            ) from error
    return found
