"""The C header of a host's registers: its driver runs against the model of the host."""

import itertools
import subprocess
from pathlib import Path

import pytest

from syncfabric.models.messages.host import HostShape, config_word, meter_word, node_word_address
from syncfabric.models.networks.spec import NetworkSpec
from syncfabric.models.register_map.c_header import c_header
from syncfabric.models.register_map.c_programs import host_header
from tests.rtl.host.host_model import HostModel, Request

C99 = ["gcc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic"]
SHAPE = HostShape(nodes=4, registers=3, data_bits=5, targets=4, meters=2, last=True, broken=True)
GROUP = 0x249
"""Register 0 of each of the four nodes."""


class Fabric:
    """A host model, and behind it a network of one group at register 0, with the or of its data."""

    def __init__(self) -> None:
        self.model = HostModel(SHAPE)
        self._config: dict[tuple[int, int], int] = {}
        self._arrived, self._since = 0, 0
        self._net = dict.fromkeys(("released", "result", "ready", "done", "broken"), 0)
        self._net |= {"config_ready": 0, "config_error": 0, "config_rdata": 0}

    def answer(self, line: str) -> str:
        """Answer a line as the console does."""
        kind, address, *data = line.split()
        request = Request(int(address, 16), kind == "w", int(data[0], 16) if data else 0)
        for _ in range(1000):
            self._cycle(request)
            out = self.model.out
            if out["ready"]:
                self._cycle(None)
            if out["ready"] and not out.get("later"):
                return "error refused" if out["error"] else f"= {out['rdata']:08x}"
        raise AssertionError(line)

    def _cycle(self, request: Request | None) -> None:
        out, net = self.model.out, self._net
        if out["config_valid"]:
            net["ready"] = (1 << SHAPE.width) - 1
        self._arrived |= out["arrive"]
        net["done"] &= ~out["arrive"]
        net["broken"] &= ~out["arrive"]
        killed = out.get("last", 0)
        self._since = 0 if out["arrive"] else self._since + 1
        answer = dict(net)
        net["released"] = 0
        if self._arrived & GROUP == GROUP and self._since == 30:
            self._arrived, net["released"] = 0, GROUP
            data = out["data"]
            words = [data >> SHAPE.data_bits * bit & 31 for bit in range(SHAPE.width)]
            combined = words[0] | words[3] | words[6] | words[9]
            net["result"] = sum(combined << SHAPE.data_bits * bit for bit in (0, 3, 6, 9))
            net["done"] |= GROUP
        elif killed:
            self._arrived = 0
            net["released"] = net["broken"] = killed
            net["done"] |= killed
        net["config_ready"] = out.get("config_valid", 0)
        net["config_rdata"] = 0
        if net["config_ready"]:
            place = (out["config_node"], out["config_address"])
            if out["config_write"]:
                self._config[place] = out["config_data"]
            else:
                net["config_rdata"] = self._config[place]
        self.model.step(request, answer)


def header(shape: HostShape, *, driver: bool = True) -> str:
    return host_header(shape, "net_axi", driver=driver)


def test_a_driver_in_c_runs_a_barrier(tmp_path: Path) -> None:
    network = {"kind": "mesh", "width": 2, "height": 2, "groups": 3}
    spec = NetworkSpec.model_validate({"name": "net", "network": network})
    (tmp_path / "net_axi.h").write_text(header(SHAPE))
    (tmp_path / "net_registers.h").write_text(c_header(spec, "syncfabric"))
    source, program = Path(__file__).with_name("driver.c"), tmp_path / "driver"
    subprocess.run([*C99, "-I", tmp_path, source, "-o", program], check=True)
    fabric, said = Fabric(), []
    with subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as c:
        assert c.stdin
        assert c.stdout
        for line in c.stdout:
            if line.startswith("#"):
                said.append(line[2:].rstrip())
            else:
                c.stdin.write(fabric.answer(line) + "\n")
                c.stdin.flush()
    assert c.returncode == 0
    assert said == [
        "identify 1",
        "arrive -2",
        "config 123",
        "interrupt -1",
        *["arrive 0"] * 4,
        "poll 1",
        "short 1",
        "wait 0 9",
        "interrupt 3",
        "meter 1 1",
        "on bus 9",
        "meter 2 1",
        "last 0",
        "broken -1",
        "refused",
        "late 0",
        "cycles 1",
    ]


@pytest.mark.parametrize("driver", [True, False])
def test_the_header_of_any_shape_compiles(driver: bool, tmp_path: Path) -> None:
    shapes = [
        HostShape(nodes=n, registers=r, data_bits=d, targets=n, meters=g, last=last)
        for n, r, d, g, last in itertools.product((1, 40), (1, 32), (0, 7), (0, 3), (False, True))
    ]
    for language, flags in (("c", C99), ("c++", ["g++", "-std=c++17", "-Wall", "-Werror"])):
        for i, shape in enumerate(shapes[::11]):
            file = tmp_path / f"{i}.h"
            file.write_text(header(shape, driver=driver))
            subprocess.run([*flags, "-fsyntax-only", "-x", language, file], check=True)


def test_addresses_are_those_of_the_layout(tmp_path: Path) -> None:
    (tmp_path / "net_axi.h").write_text(header(SHAPE, driver=False))
    places = {
        "SYNCFABRIC_HOST_CONFIG_PORT(9u)": config_word(9),
        "SYNCFABRIC_HOST_HISTOGRAM(3u, 2u)": meter_word(3, 10),
        "SYNCFABRIC_HOST_MASK(1u, 4u)": meter_word(1, 0x804),
        "SYNCFABRIC_HOST_DATA(5u, 2u)": node_word_address(5, 34),
        "SYNCFABRIC_HOST_RESULT(5u, 2u)": node_word_address(5, 66),
        "SYNCFABRIC_HOST_WAIT(5u, 2u)": node_word_address(5, 98),
        "SYNCFABRIC_HOST_CLEAR_ALL": 11,
        "SYNCFABRIC_HOST_NODE_IRQ_ENABLE": 5,
        "SYNCFABRIC_HOST_METER_GREATEST": 3,
    }
    checks = "".join(
        f'static_assert({name} == {value}, "{name}");\n' for name, value in places.items()
    )
    (tmp_path / "main.cpp").write_text(f'#include "net_axi.h"\n{checks}')
    subprocess.run(["g++", "-std=c++17", "-fsyntax-only", tmp_path / "main.cpp"], check=True)
