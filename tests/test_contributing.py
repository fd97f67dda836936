"""CONTRIBUTING.md, SECURITY.md, the image and the dev container agree with the project."""

import json
import os
import re
import shlex
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PRODUCT = ("models", "rtl", "sim", "fpga", "syncfabric")


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def rows() -> list[list[str]]:
    """Return the cells of the table of changes and their tests."""
    table = text("CONTRIBUTING.md").split("| you changed |")[1].split("\n\n")[0]
    return [row.split("|")[1:-1] for row in table.splitlines()[2:]]


def in_code(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def commands() -> list[str]:
    """Return the commands of the Dockerfile's lines ``RUN``."""
    lines = text("Dockerfile").replace("\\\n", "").splitlines()
    runs = [line.removeprefix("RUN ") for line in lines if line.startswith("RUN ")]
    return [command.strip() for run in runs for command in run.split("&&")]


def test_every_path_in_the_table_is_there() -> None:
    named = [path for row in rows() for cell in row for path in in_code(cell)]
    paths = [path for path in named if "/" in path or path.endswith((".toml", "file"))]
    assert len(paths) > 40
    for path in paths:
        assert (ROOT / path.split()[0]).exists(), path


def test_every_folder_of_the_product_has_a_row() -> None:
    changed = [path.strip("/") for row in rows() for path in in_code(row[0])]
    folders = [
        folder.relative_to(ROOT).as_posix()
        for name in PRODUCT
        for folder in (ROOT / name).iterdir()
        if folder.is_dir() and not folder.is_symlink() and folder.name != "__pycache__"
    ]
    missing = [name for name in folders if not {name, name.partition("/")[0]} & set(changed)]
    assert missing == []


def test_markers_in_the_text_are_those_of_pytest() -> None:
    known = tomllib.loads(text("pyproject.toml"))["tool"]["pytest"]["ini_options"]["markers"]
    names = {marker.partition(":")[0] for marker in known}
    assert set(re.findall(r"`-m (\w+)", text("CONTRIBUTING.md"))) <= names


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "SECURITY.md"])
def test_links_lead_somewhere(page: str) -> None:
    links = re.findall(r"\]\(([^)#]+)", text(page))
    assert links
    for link in links:
        assert (ROOT / link).exists(), link


def test_the_image_runs_scripts_that_are_there() -> None:
    scripts = [shlex.split(command)[0] for command in commands() if "/" in shlex.split(command)[0]]
    assert scripts == ["scripts/setup"]
    for script in scripts:
        assert os.access(ROOT / script, os.X_OK), script


def test_the_image_has_what_the_scripts_ask_for() -> None:
    """Packages are those that `setup` and `test` name where something is missing."""
    (install,) = [command for command in commands() if "apt-get install" in command]
    browser = re.search(r'BROWSER="(chromium[^"]+)"', text("Dockerfile"))
    assert browser
    installed = {*shlex.split(install), *browser[1].split()}
    asked = set(re.findall(r'need \w+ \w+ "?([\w -]+?)"? "', text("scripts/test")))
    asked |= set(re.findall(r"apt-get install ([\w+ -]+)", text("scripts/setup")))
    asked = {package for packages in asked for package in packages.split()}
    assert {"iverilog", "chromium", "chromium-driver", "g++", "make", "python3-venv"} <= asked
    assert asked - {"-y", "-q"} <= installed


def test_the_dev_container_is_the_images_tools_and_setup() -> None:
    settings = json.loads(text(".devcontainer/devcontainer.json"))
    build, folder = settings["build"], ROOT / ".devcontainer"
    assert (folder / build["dockerfile"]).resolve() == ROOT / "Dockerfile"
    assert (folder / build["context"]).resolve() == ROOT
    stages = re.findall(r"^FROM \S+ AS (\w+)$", text("Dockerfile"), re.M)
    assert build["target"] in stages
    assert set(build["args"]) <= set(re.findall(r"^ARG (\w+)", text("Dockerfile"), re.M))
    assert settings["postCreateCommand"] == "scripts/setup"


def test_every_package_that_setup_installs_is_locked_with_its_hash() -> None:
    project = tomllib.loads(text("pyproject.toml"))["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *extras["sim"], *extras["mpi"], *extras["dev"]]
    locked = re.split(r"^(?=[a-z0-9])", text("requirements.lock").split("\n", 3)[3], flags=re.M)[1:]
    names = {re.split(r"==", entry)[0] for entry in locked}
    assert {re.split(r"[\[>=<]", package)[0] for package in wanted} <= names
    for entry in locked:
        assert "--hash=sha256:" in entry, entry
