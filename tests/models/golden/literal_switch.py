"""Ordinary packets at one switch, word by word from the contract, section I2: slow and plain."""

from typing import Any

from syncfabric.models.networks.spec import IrregularSpec

__all__ = ["LiteralSwitch"]

SINK, NOWHERE = "sink", "nowhere"


class LiteralSwitch:
    """Buffers, owners and orders of a switch; credits are the network's.

    In every cycle call ``cross``, then ``arrive`` for what came by its links.
    """

    def __init__(self, network: IrregularSpec, tables: Any, number: int) -> None:
        self.network, self.layout, self.number = network, network.layout, number
        self.row = tables[number]
        inputs, channels = range(network.ports), range(network.channels)
        self.buffer: dict[Any, list[Any]] = {(i, v): [] for i in inputs for v in channels}
        self.way: dict[Any, Any] = {}
        self.heir: dict[Any, Any] = {}
        self.owner: dict[Any, Any] = {(o, v): None for o in inputs for v in channels}
        self.owner[SINK] = None
        self.channel_order = {i: list(channels) for i in inputs}
        self.input_order: dict[Any, list[int]] = {o: list(inputs) for o in [*inputs, SINK]}
        self.out: dict[int, Any] = {}

    def leaving(self, way: Any, v: int) -> Any:
        """Return output and channel by which a packet leaves."""
        if way in (SINK, NOWHERE):
            return way
        crosses = (self.number, way) in self.network.datelines
        return way, (v | 1 if crosses else v)

    def requests(self, i: int, v: int, credit: dict[Any, int]) -> bool:
        if not self.buffer[i, v]:
            return False
        flit = self.buffer[i, v][0]
        if flit["head"]:
            self.way[i, v] = flit["way"]
        way = self.way[i, v] if not flit["used_up"] else NOWHERE
        target = self.leaving(way, v)
        if target == NOWHERE:
            return True
        if target != SINK and credit[target] < 1:
            return False
        return bool(self.owner[target] == (None if flit["head"] else (i, v)))

    def cross(
        self, credit: dict[Any, int], syncs: set[int]
    ) -> tuple[dict[int, Any], list[Any], list[Any], int]:
        """Return what is on the links, places freed, credits spent, and tails that sank."""
        two_cycles = self.network.cycles_per_hop == 2
        offers: dict[Any, dict[int, int]] = {}
        for i in range(self.network.ports):
            for v in self.channel_order[i]:
                if self.requests(i, v, credit):
                    flit = self.buffer[i, v][0]
                    way = NOWHERE if flit["used_up"] else self.way[i, v]
                    offers.setdefault(way, {})[i] = v
                    break
        wires = {}
        for o in list(self.out):
            if o not in syncs:
                wires[o] = self.out[o]
        freed, spent, sunk = [], [], 0
        new_out = {o: flit for o, flit in self.out.items() if o not in wires}
        for way, inputs in offers.items():
            if way == NOWHERE:
                winners = list(inputs)
            elif way != SINK and way in syncs and (not two_cycles or way in self.out):
                winners = []
            else:
                winners = [next(i for i in self.input_order[way] if i in inputs)]
            for i in winners:
                v = inputs[i]
                flit = self.buffer[i, v].pop(0)
                freed.append((i, v))
                self.to_the_end(self.channel_order[i], v)
                if way == NOWHERE:
                    continue
                self.to_the_end(self.input_order[way], i)
                target = self.leaving(way, v)
                self.owner[target] = None if flit["tail"] else (i, v)
                if way == SINK:
                    sunk += flit["tail"]
                else:
                    spent.append(target)
                    (new_out if two_cycles else wires)[way] = (target[1], self.raw(flit))
        self.out = new_out
        return wires, freed, spent, sunk

    def to_the_end(self, order: list[int], who: int) -> None:
        order.remove(who)
        order.append(who)

    def raw(self, flit: Any) -> int:
        return self.layout.flit.pack({name: flit[name] for name in ("payload", "head", "tail")})

    def arrive(self, i: int, v: int, raw: int) -> None:
        flit: dict[str, Any] = self.layout.flit.unpack(raw) | {"way": None, "used_up": False}
        if (i, v) in self.heir:
            flit |= {"head": 1, "way": self.heir.pop((i, v))}
        elif flit["head"]:
            self.look(i, v, flit)
        assert len(self.buffer[i, v]) < self.network.buffer_flits
        self.buffer[i, v].append(flit)

    def look(self, i: int, v: int, flit: dict[str, Any]) -> None:
        ports = self.network.ports
        route = self.layout.route.unpack(flit["payload"] % 2**self.layout.route.width)
        header = self.layout.header.unpack(flit["payload"] % 2**self.layout.header.width)
        if not header["by_route"]:
            if header["switch"] == self.number:
                way = header["port"]
            else:
                way = self.row[header["switch"]] if header["switch"] < len(self.row) else ports
            flit["way"] = SINK if way >= ports else way
            return
        to_sink = route["count"] == 0 or route["port_0"] >= ports
        if to_sink or (flit["tail"] and route["count"] <= 1):
            flit["way"] = SINK
            return
        flit["way"] = route["port_0"]
        if route["count"] == 1:
            flit["used_up"] = True
            self.heir[i, v] = flit["way"]
            return
        above = flit["payload"] >> self.layout.route.width << self.layout.route.width
        moved = {f"port_{n}": route[f"port_{n + 1}"] for n in range(self.layout.route_ports - 1)}
        fields = {"by_route": 1, "count": route["count"] - 1, **moved}
        flit["payload"] = above | self.layout.route.pack(fields)
