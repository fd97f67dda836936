"""Counters of engines as the fabric shows them are those that the config chain reads."""

import random
from collections import Counter

import pytest

from syncfabric.models.layout.engine import COMMIT, Code
from syncfabric.models.networks.spec import MessageSpec
from syncfabric.models.planning.plan import make_plan
from syncfabric.sim.drive.targets import counters_of
from syncfabric.sim.fabric.program import Fabric
from syncfabric.sim.soak.bench import Bench
from tests.sim.soak.networks import BUILD, ENGINES


@pytest.mark.parametrize(
    "name", ["engines", pytest.param("engine cluster", marks=pytest.mark.nightly)]
)
def test_counters_are_those_of_the_config_chain(name: str) -> None:
    """After commands that are refused, some at each router."""
    spec, rng = ENGINES[name], random.Random(1)
    network = spec.network
    assert isinstance(network, MessageSpec)
    shape, places = network.shape, list(counters_of(network))
    with Fabric(BUILD(network)) as fabric:
        bench = Bench(fabric, make_plan(spec))
        bench.wait(100)  # the sweep
        assert not +bench.counters()
        for router in range(shape.routers):
            go = COMMIT.pack({"code": Code.GO, "entry": rng.randrange(4)})
            fabric.request([(shape.target_of(router), 0, go)] * (router + 1))
        bench.wait(2_000)
        fabric.answers()
        fabric.request([(*place.place, None) for place in places])
        bench.wait(20_000)
        answers = fabric.answers()
        assert not any(error for error, _ in answers)
        read = Counter[str]()
        for place, (_, count) in zip(places, answers, strict=True):
            read[place.name] += count
        routers = shape.routers
        assert +read == +bench.counters()
        assert +read == {"engine REFUSED_COMMAND": routers * (routers + 1) // 2}
        assert set(read) == set(bench.counters())
