"""The barrier registers of a mesh's node where managers set groups up."""

from __future__ import annotations

from syncfabric.models.golden.barrier_register import PARENT, BarrierRegister, class_down
from syncfabric.models.golden.barrier_unit import BarrierUnit
from syncfabric.models.golden.life import Living
from syncfabric.models.golden.record import Message
from syncfabric.models.golden.rules import Rules
from syncfabric.models.messages import CONTROL, LIFE, STATUS, Command, Kind, RegisterWord
from syncfabric.models.networks.spec import MeshSpec

__all__ = ["LivingBarrierRegister", "LivingBarrierUnit"]
