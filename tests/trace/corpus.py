"""The trace corpus: small networks of every kind and option, and the scenarios that run on them."""

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from syncfabric.models.networks.dead import Dead
from syncfabric.models.networks.schema import NetworkFile
from syncfabric.models.networks.spec import NetworkSpec
from syncfabric.models.patterns import Pattern
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.models.planning.set_up_writes import registers_json
from syncfabric.sim.drive.recovery.run import RecoveryRunner
from syncfabric.sim.drive.recovery.scenario import (
    Move,
    RecoveryScenario,
    check_scenario,
    plan_after,
)
from syncfabric.sim.drive.runner import Runner, ScenarioRunner
from syncfabric.sim.drive.scenario import Replay, Scenario, Send, Sending, Streaming
from syncfabric.sim.drive.static.operations import Collective
from syncfabric.sim.front import Front
from syncfabric.sim.products import network_verilog, register_files

FOLDER = Path(__file__).parent
LIMIT = 40_000
"""Cycles after which a scenario is given up as a hang."""


@dataclass(frozen=True)
class Entry:
    """A network and its scenarios.

    Parameters
    ----------
    name : str
    table : dict
        What ``corpus.toml`` says of it.
    """

    name: str
    table: Mapping[str, Any]

    @cached_property
    def spec(self) -> NetworkSpec:
        """The network and its groups."""
        file = {key: self.table[key] for key in ("network", "group")}
        return NetworkFile(name=self.name, **file).resolve(FOLDER)

    @cached_property
    def plan(self) -> BarrierPlan:
        """The plan of all groups."""
        return make_plan(self.spec)

    @cached_property
    def scenarios(self) -> dict[str, Scenario | RecoveryScenario]:
        """Every scenario by its name."""
        runs = {name: _scenario(keys) for name, keys in self.table.get("run", {}).items()}
        return runs | {
            name: _recovery(self.spec, keys) for name, keys in self.table.get("recover", {}).items()
        }

    @property
    def icarus(self) -> tuple[str, ...]:
        """Scenarios that run under Icarus as well."""
        return tuple(self.table.get("icarus", ()))

    def runner(self, scenario: str) -> Runner[Any]:
        """Return what hands out the chunks of a scenario, and takes in what came of them."""
        what = self.scenarios[scenario]
        if isinstance(what, Scenario):
            return ScenarioRunner(self.plan, what)
        check_scenario(self.plan, what)
        return RecoveryRunner(self.plan, plan_after(self.plan, what), what)

    @property
    def fronts(self) -> tuple[Front | None, ...]:
        """Host interfaces, and first none."""
        return (None, *map(Front, self.table.get("fronts", ())))

    def files(self) -> dict[str, str]:
        """Return plan, register images and headers by their names."""
        images = registers_json(self.plan)
        found = {"plan.json": self.plan.to_json(), "registers.json": images}
        texts = {name: json.dumps(value, indent=1) for name, value in found.items()}
        for front in self.fronts:
            texts |= register_files(self.spec, front)
        return texts

    def verilog(self) -> dict[str, str]:
        """Return the network's Verilog, alone and with each host interface."""
        return {
            f"{front.kind if front else 'network'}.v": network_verilog(self.spec, front)
            for front in self.fronts
        }


def corpus() -> Iterator[Entry]:
    """Yield all entries."""
    with (FOLDER / "corpus.toml").open("rb") as file:
        for name, table in tomllib.load(file).items():
            yield Entry(name, table)


def _scenario(keys: Mapping[str, Any]) -> Scenario:
    """Read a scenario's fields; lists stand for packets, collectives and sends of a replay."""
    goals, share = keys.get("pattern", ((), 0))
    made: dict[str, Any] = {
        "packets": tuple(Sending(*each) for each in keys.get("packets", ())),
        "collectives": tuple(Collective(*each) for each in keys.get("collectives", ())),
        "streams": tuple(Streaming(*each) for each in keys.get("streams", ())),
        "pattern": Pattern("given", tuple(goals), share) if share else None,
        "stalls": tuple(keys.get("stalls", (0, 0))),
        "kills": tuple((gid, after) for gid, after in keys.get("kills", ())),
        "replay": _replay(**keys["replay"]) if "replay" in keys else None,
    }
    return Scenario(**{"limit": LIMIT, **keys, **made})


def _replay(sends: Sequence[Sequence[Any]], processors: Sequence[int], **keys: Any) -> Replay:
    return Replay(tuple(Send(*send) for send in sends), tuple(processors), **keys)


def _recovery(spec: NetworkSpec, keys: Mapping[str, Any]) -> RecoveryScenario:
    """Read a recovery's fields: names of what dies, and moves as group, old and new node."""
    made: dict[str, Any] = {
        "dead": Dead.of(spec.network.topology, keys.get("dead", ())),
        "moves": tuple(Move(gid, tuple(a), tuple(b)) for gid, a, b in keys.get("moves", ())),
    }
    return RecoveryScenario(**{"limit": LIMIT, **keys, **made})
