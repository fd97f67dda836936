"""A board of golden models: a host's, and a network's behind it, stepped as a link asks them."""

from syncfabric.fpga.host.link import Link, RefusedError
from syncfabric.models.golden.network import CollectiveNetwork, model_of
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.golden.stream_traffic import TrafficProcess
from syncfabric.models.networks.spec import MessageSpec
from syncfabric.sim.assemble.host import host_shape
from syncfabric.sim.drive.trace import bits as raised
from tests.rtl.host.host_model import STREAM_COUNTS, HostModel, Request

_TIMEOUT = 200_000
"""Cycles that a request may take."""


class GoldenBoard(Link):
    """Answers each word that is asked for after the cycles that the models take.

    Parameters
    ----------
    spec : MessageSpec
        The network.
    gap : int
        Cycles between requests.
    """

    def __init__(self, spec: MessageSpec, *, gap: int = 5) -> None:
        self.port, self._gap = "golden", gap
        self.network: CollectiveNetwork = model_of(spec)
        self.shape = host_shape(spec, meters=1, streams=spec.streams)
        self._sources: list[TrafficProcess] = []
        if self.network.streams and (layout := spec.shape.router.stream):
            self._sources = [TrafficProcess(layout) for _ in spec.shape.nodes]
            self.network.streams.processes[:] = self._sources
        self.host = HostModel(self.shape)
        self._results = [0] * self.shape.width
        self._bits = [divmod(i, self.shape.registers) for i in range(self.shape.width)]

    def read(self, address: int) -> int:
        return self._request(Request(address))

    def write(self, address: int, value: int) -> None:
        self._request(Request(address, write=True, data=value))

    def _request(self, request: Request) -> int:
        for _ in range(_TIMEOUT):
            self._step(request)
            answer = self.host.out
            if answer["ready"] and not answer["later"]:
                break
        else:
            raise AssertionError(f"no answer to {request}")
        for _ in range(self._gap):
            self._step(None)
        if answer["error"]:
            raise RefusedError("refused")
        return answer["rdata"]

    def _step(self, request: Request | None) -> None:
        """Take a cycle of both."""
        out, network, registers = self.host.out, self.network, self.shape.registers
        released = 0
        for node, register, result in network.release:
            released |= 1 << node * registers + register
            self._results[node * registers + register] = result
        ports = {
            name: sum(1 << i for i, end in enumerate(self._bits) if shown(*end))
            for name, shown in (
                ("ready", network.ready),
                ("done", network.done),
                ("broken", network.broken),
            )
        }
        ready, error, word = network.config_answer
        bits = self.shape.data_bits
        seen = {
            **ports,
            "released": released,
            "result": sum(word << i * bits for i, word in enumerate(self._results) if word),
            "config_ready": int(ready),
            "config_error": int(error),
            "config_rdata": word,
        }
        now, counts = network.cycle, [c for s in self._sources for c in s.sink.counts]
        seen |= {"cycle": now}
        for name in STREAM_COUNTS:
            seen[name] = sum(getattr(one, name) << 32 * i for i, one in enumerate(counts))
        for node in raised(out.get("put", 0)):
            self._sources[node].put(now, out["command"])
            assert network.streams
            network.streams.wake(node, now + 1)
        config = None
        if out["config_valid"]:
            asked = (out["config_node"], out["config_address"])
            config = ConfigRequest(*asked, bool(out["config_write"]), out["config_data"])
        arrive, last = (
            {end: i for i, end in enumerate(self._bits) if out[name] >> i & 1}
            for name in ("arrive", "last")
        )
        data = {end: out["data"] >> i * bits & (1 << bits) - 1 for end, i in arrive.items()}
        self.host.step(request, seen)
        network.step(arrive=data, last=set(last), config=config)
