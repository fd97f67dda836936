"""Devices by name, options of synthesis, and nextpnr's options in full ones."""

from typing import Any

import pytest

from syncfabric.fpga.devices import DEVICES, device_named, effort_for
from syncfabric.models.errors import SpecError


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("z80", {}, "gates, not 'z80'"),
        ("ice40-up5k", {"fast": True}, "ECP5 only, not ice40-up5k"),
        ("ice40-hx8k", {"delay": 100}, "delay is for ECP5 only, not ice40-hx8k"),
        ("ecp5-25k", {"delay": 0}, "delay must be above 0 ps, not 0"),
    ],
)
def test_unknown_options_are_refused(name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(SpecError, match=message):
        device_named(name, **options)


def test_a_delay_takes_the_place_of_a_scripts_own() -> None:
    usual, fast = device_named("ecp5-45k"), device_named("ecp5-45k", fast=True)
    assert usual == DEVICES["ecp5-45k"]
    assert (usual.aim, fast.aim) == ("area", "speed")
    for device, own in ((usual, "4000"), (fast, "3000")):
        aimed = device_named("ecp5-45k", fast=device is fast, delay=123)
        script = "\n".join(device.synthesis)
        assert script.count(f" {own}") == 1
        assert "\n".join(aimed.synthesis) == script.replace(f" {own}", " 123")


def test_a_full_device_takes_another_placer() -> None:
    device = device_named("ecp5-25k")
    assert "static" not in effort_for(device, device.luts // 10)
    assert "static" in effort_for(device, device.luts)
    assert effort_for(device_named("ice40-hx8k"), 10**6) == effort_for(device, 1)
