"""What a run may ask of a network."""

from dataclasses import replace

import pytest

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.spec import NetworkSpec
from syncfabric.sim.request import RunRequest
from tests.models.golden.static_bench import static

REQUEST = RunRequest("model", 1)


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (replace(REQUEST, background=0.1), r"background = 0\.1 does not go with a static network"),
        (replace(REQUEST, sim="verilator", long=True), r"long does not go with a static network"),
    ],
)
def test_what_a_static_network_cannot_run(request_: RunRequest, message: str) -> None:
    network = NetworkSpec.model_construct(name="static", network=static(2, 2), groups=())
    REQUEST.check(network)
    with pytest.raises(SpecError, match=message):
        request_.check(network)
