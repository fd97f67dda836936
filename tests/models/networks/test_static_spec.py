"""Static networks built from Python."""

import pytest

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.mesh import Mesh
from syncfabric.models.networks.spec import GroupSpec, NetworkSpec
from tests.models.networks.specs import static


def test_defaults_of_a_static_network() -> None:
    assert static().model_dump() == {
        "kind": "static",
        "width": 4,
        "height": 4,
        "flit_bits": 1,
        "data_bits": 0,
        "switch_buffer": 2,
        "core_buffer": 2,
        "injection_buffer": 2,
        "watchdog": 0,
    }
    assert static().topology == Mesh(4, 4)
    assert (static().port_registers, static().managed) == (1, False)


def test_a_static_network_has_no_messages() -> None:
    groups = (GroupSpec(id=0, members=((1, 0), (3, 2))),)
    spec = NetworkSpec(name="r", network=static(), groups=groups)
    assert spec.groups[0].planner == "ring"
    with pytest.raises(SpecError, match=r"^r is static, and has neither packets nor engines; take"):
        _ = spec.message_network
