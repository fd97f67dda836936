"""Hardware barriers and collectives for networks-on-chip, from paper to Verilog.

The names below are looked up when first used, so that ``import syncfabric.models`` loads no
Amaranth and the command line starts at once.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from syncfabric.models.broadcast.policy import Policy
    from syncfabric.models.broadcast.tree import Tree as BroadcastTree
    from syncfabric.models.collectives.chunks.links import linked
    from syncfabric.models.collectives.chunks.search import search as find_chunked_schedule
    from syncfabric.models.collectives.collective import Collective, collective
    from syncfabric.models.collectives.files import load_schedule, load_topology, save_schedule
    from syncfabric.models.collectives.methods import Method
    from syncfabric.models.collectives.schedule import Schedule
    from syncfabric.models.collectives.search import search as find_schedule
    from syncfabric.models.collectives.task import Rules, Task
    from syncfabric.models.collectives.topology import Topology
    from syncfabric.models.collectives.verdict import examine
    from syncfabric.models.errors import (
        BoardError,
        DeadlockError,
        OutputError,
        PlanError,
        SpecError,
        SyncfabricError,
        ToolError,
    )
    from syncfabric.models.networks.family import Family
    from syncfabric.models.networks.spec import GroupSpec, NetworkSpec
    from syncfabric.models.planning.group_plan import GroupPlan
    from syncfabric.models.planning.plan import BarrierPlan
    from syncfabric.models.schemes.scheme import Scheme
    from syncfabric.sim.experiments.choice import experiments
    from syncfabric.sim.experiments.frame import Experiment, Work
    from syncfabric.sim.front import Front
    from syncfabric.sim.network import Network
    from syncfabric.sim.report.write import write_report
    from syncfabric.sim.request import RunRequest
    from syncfabric.sim.results import RunResult

__version__ = "0.1.0"

_HOMES = {
    "models.broadcast.policy": "Policy",
    "models.broadcast.tree": "Tree=BroadcastTree",
    "models.collectives.chunks.links": "linked",
    "models.collectives.chunks.search": "search=find_chunked_schedule",
    "models.collectives.collective": "Collective collective",
    "models.collectives.files": "load_schedule load_topology save_schedule",
    "models.collectives.methods": "Method",
    "models.collectives.schedule": "Schedule",
    "models.collectives.search": "search=find_schedule",
    "models.collectives.task": "Rules Task",
    "models.collectives.topology": "Topology",
    "models.collectives.verdict": "examine",
    "models.errors": "BoardError DeadlockError OutputError PlanError SpecError SyncfabricError"
    " ToolError",
    "models.networks.family": "Family",
    "models.networks.spec": "GroupSpec NetworkSpec",
    "models.planning.group_plan": "GroupPlan",
    "models.planning.plan": "BarrierPlan",
    "models.schemes.scheme": "Scheme",
    "sim.experiments.choice": "experiments",
    "sim.experiments.frame": "Experiment Work",
    "sim.front": "Front",
    "sim.network": "Network",
    "sim.report.write": "write_report",
    "sim.request": "RunRequest",
    "sim.results": "RunResult",
}
"""Home modules and their names; ``name=public`` has another name here."""

_PUBLIC = {
    word.rpartition("=")[2]: (f"syncfabric.{home}", word.partition("=")[0])
    for home, words in _HOMES.items()
    for word in words.split()
}

__all__ = [
    "BarrierPlan",
    "BoardError",
    "BroadcastTree",
    "Collective",
    "DeadlockError",
    "Experiment",
    "Family",
    "Front",
    "GroupPlan",
    "GroupSpec",
    "Method",
    "Network",
    "NetworkSpec",
    "OutputError",
    "PlanError",
    "Policy",
    "Rules",
    "RunRequest",
    "RunResult",
    "Schedule",
    "Scheme",
    "SpecError",
    "SyncfabricError",
    "Task",
    "ToolError",
    "Topology",
    "Work",
    "__version__",
    "collective",
    "examine",
    "experiments",
    "find_chunked_schedule",
    "find_schedule",
    "linked",
    "load_schedule",
    "load_topology",
    "save_schedule",
    "write_report",
]


def __getattr__(name: str) -> object:
    """Import a public name from its home module on first use."""
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home, own = _PUBLIC[name]
    value: object = getattr(import_module(home), own)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the lazy names too, for completion in a notebook."""
    return sorted({*globals(), *_PUBLIC})
