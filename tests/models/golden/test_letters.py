"""Messages of registers with a life: of another kind they differ in that alone."""

import pytest

from syncfabric.models.golden.living_barrier import LivingBarrierRegister
from syncfabric.models.golden.rules import Rules
from syncfabric.models.golden.wiring import Wiring
from syncfabric.models.messages import CONTROL, NODE_WORD, Kind, RegisterWord
from syncfabric.models.networks.mesh import Port
from syncfabric.models.networks.spec import MeshSpec


@pytest.mark.parametrize("kind", Kind)
def test_a_mesh_register_writes_to_its_child(kind: Kind) -> None:
    network = MeshSpec(kind="mesh", width=5, height=3, setup="manager")
    register = LivingBarrierRegister(Rules(network, Wiring(network)), node=6)
    register.write(RegisterWord.EAST, NODE_WORD.pack({"x": 3, "y": 1, "present": 1}))
    register.write(RegisterWord.CONTROL, CONTROL.pack({"valid": 1, "gid": 77, "epoch": 2}))
    register.write_to([Port.EAST], kind)
    letter = register.letters[Port.EAST]
    assert letter is not None
    fields = {"kind": kind, "gid": 77, "epoch": 2, "x": 3, "y": 1, "turn": 0, "data": 0}
    assert network.layout.sync.unpack(letter.raw) == fields
    assert letter.kind == kind
