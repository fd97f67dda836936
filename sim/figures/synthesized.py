"""What ``syncfabric synth`` says, asked as a user does: `sim` does not know of `fpga`."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

__all__ = ["DEVICE", "synthesized"]

DEVICE = "ecp5-45k"
"""Speed grade 6, as all ECP5s here."""


def synthesized(design: str, *options: str, device: str = DEVICE) -> dict[str, Any]:
    """Return what ``syncfabric synth`` says of a block, or of a network's file.

    Raises
    ------
    RuntimeError
        It broke off: the message is its own, in one line.
    """
    command = [sys.executable, "-m", "syncfabric", "synth", design, "--device", device, "--json"]
    done = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        told = next((line for line in lines if line.startswith("error: ")), lines[-1])
        raise RuntimeError(f"{design}: {told}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found
