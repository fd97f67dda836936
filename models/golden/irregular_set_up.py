"""An irregular network whose groups managers set up, cycle by cycle."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from syncfabric.models.golden.channel import HEAD, TAIL, Flit
from syncfabric.models.golden.config_port import configure
from syncfabric.models.golden.irregular import IrregularModel
from syncfabric.models.golden.living_unit import LivingNode, LivingUnit
from syncfabric.models.golden.manager import Manager
from syncfabric.models.golden.model import Arrivals
from syncfabric.models.golden.record import ConfigRequest, Observer, Packet
from syncfabric.models.golden.register_file import RegisterFile
from syncfabric.models.golden.set_up_channel import SetUpChannels
from syncfabric.models.golden.set_up_sink import SetUpSink
from syncfabric.models.golden.set_up_steps import Access, Dialect
from syncfabric.models.messages import ARRIVED, COMMAND_WORD, LIFE, Counter, SwitchWord
from syncfabric.models.networks.spec import IrregularSpec

__all__ = ["ManagedIrregularModel"]
