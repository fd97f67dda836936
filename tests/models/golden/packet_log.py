"""What ordinary packets of an irregular network do, noted down."""

from collections import Counter

from syncfabric.models.golden.irregular import IrregularModel
from syncfabric.models.golden.record import Observer
from syncfabric.models.networks.spec import IrregularSpec

__all__ = ["Log", "flow", "image", "on", "route"]


class Log(Observer):
    """Everything an observer can hear of packets."""

    def __init__(self) -> None:
        self.packets: list[tuple[int, int, int, int, int]] = []
        self.loads: Counter[int] = Counter()

    def packet(
        self, source: int, destination: int, created: int, injected: int, ejected: int
    ) -> None:
        self.packets.append((source, destination, created, injected, ejected))

    def flit(self, link: int, cycle: int) -> None:
        self.loads[link] += 1


def flow(model: IrregularModel) -> list[tuple[int, int, int, int]]:
    """Step until nothing moves; return (cycle, link, channel, flit) of all ordinary flits."""
    lanes, seen = model.wiring.lanes, []
    while model.idle_until() is not None:
        now, record = model.cycle, model.step()
        if record is None:
            continue
        valid = [lane for lane in range(record.valid.bit_length()) if record.valid >> lane & 1]
        for lane, flit in zip(valid, record.payloads, strict=True):
            if lane % lanes < lanes - 1:
                seen.append((now, *divmod(lane, lanes), flit))
    return seen


def on(link: int, seen: list[tuple[int, int, int, int]]) -> list[int]:
    return [flit for _, where, _, flit in seen if where == link]


def image(network: IrregularSpec, payload: int, head: int = 0, tail: int = 0) -> int:
    return network.layout.flit.pack({"payload": payload, "head": head, "tail": tail})


def route(network: IrregularSpec, *ports: int, count: int | None = None) -> int:
    fields = {f"port_{i}": port for i, port in enumerate(ports)}
    count = len(ports) if count is None else count
    return network.layout.route.pack({"by_route": 1, "count": count, **fields})
