"""The public names: type checkers read this file, and the package reads it when imported."""

from syncfabric.models.broadcast.policy import Policy as Policy
from syncfabric.models.broadcast.tree import Tree as _BroadcastTree
from syncfabric.models.collectives.chunks.search import search as _find_chunked_schedule
from syncfabric.models.collectives.collective import Collective as Collective
from syncfabric.models.collectives.collective import collective as collective
from syncfabric.models.collectives.files import load_schedule as load_schedule
from syncfabric.models.collectives.files import load_topology as load_topology
from syncfabric.models.collectives.files import save_schedule as save_schedule
from syncfabric.models.collectives.methods import Method as Method
from syncfabric.models.collectives.schedule import Schedule as Schedule
from syncfabric.models.collectives.search import search as _find_schedule
from syncfabric.models.collectives.task import Rules as Rules
from syncfabric.models.collectives.task import Task as Task
from syncfabric.models.collectives.topology import Topology as Topology
from syncfabric.models.collectives.topology import linked as linked
from syncfabric.models.collectives.verdict import examine as examine
from syncfabric.models.errors import BoardError as BoardError
from syncfabric.models.errors import DeadlockError as DeadlockError
from syncfabric.models.errors import OutputError as OutputError
from syncfabric.models.errors import PlanError as PlanError
from syncfabric.models.errors import SpecError as SpecError
from syncfabric.models.errors import SyncfabricError as SyncfabricError
from syncfabric.models.errors import ToolError as ToolError
from syncfabric.models.networks.family import Family as Family
from syncfabric.models.networks.spec import GroupSpec as GroupSpec
from syncfabric.models.networks.spec import NetworkSpec as NetworkSpec
from syncfabric.models.planning.group_plan import GroupPlan as GroupPlan
from syncfabric.models.planning.plan import BarrierPlan as BarrierPlan
from syncfabric.models.schemes.scheme import Scheme as Scheme
from syncfabric.sim.experiments.choice import experiments as experiments
from syncfabric.sim.experiments.frame import Experiment as Experiment
from syncfabric.sim.experiments.frame import Work as Work
from syncfabric.sim.front import Front as Front
from syncfabric.sim.network import Network as Network
from syncfabric.sim.report.write import write_report as write_report
from syncfabric.sim.request import RunRequest as RunRequest
from syncfabric.sim.results import RunResult as RunResult

__all__: list[str]
__version__: str
BroadcastTree = _BroadcastTree
find_chunked_schedule = _find_chunked_schedule
find_schedule = _find_schedule
