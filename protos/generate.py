"""
Generates the protocol code from the .proto files.

Two callers: the build (a hatchling hook, so that `pip install .` from a clean
checkout works and a wheel never holds stale code) and `make protos`.
"""

from __future__ import annotations

import importlib.resources
import os
import pathlib
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parent
GENERATED = ("*_pb2.py", "*_pb2.pyi", "*_pb2_grpc.py", "*_pb2_grpc.pyi", "__init__.py")


def generate(root: pathlib.Path = ROOT) -> list[pathlib.Path]:
    """
    Generate modules and type stubs beside the .proto files below *root*.

    Everything generated earlier is removed first, so a renamed file leaves
    nothing behind.

    Returns:
        The files written.

    Raises:
        SystemExit: protoc refused a file; it has said why on stderr.
    """
    from grpc_tools import protoc  # noqa: PLC0415  (only there while building)

    package = root / "euchre"
    for pattern in GENERATED:
        for old in package.rglob(pattern):
            old.unlink()
    sources = sorted(str(p.relative_to(root)) for p in package.rglob("*.proto"))
    well_known = importlib.resources.files("grpc_tools") / "_proto"
    arguments = [
        "protoc",
        f"--proto_path={root}",
        f"--proto_path={well_known}",
        f"--python_out={root}",
        f"--grpc_python_out={root}",
    ]
    for name, option in (("protoc-gen-mypy", "mypy"), ("protoc-gen-mypy_grpc", "mypy_grpc")):
        tool = shutil.which(name, path=_tool_path())
        if tool is None:
            raise SystemExit(f"{name} is not installed; pip install mypy-protobuf")
        arguments += [f"--plugin={name}={tool}", f"--{option}_out=quiet:{root}"]
    code = protoc.main([*arguments, *sources])
    if code != 0:
        raise SystemExit(f"protoc failed with exit code {code}; see its message above")
    for folder in [package, *(p for p in package.rglob("*") if p.is_dir())]:
        if folder.name != "__pycache__":
            (folder / "__init__.py").touch()
    (package / "py.typed").touch()
    return sorted(p for pattern in GENERATED for p in package.rglob(pattern))


def _tool_path() -> str:
    """
    Where protoc plugins are: this interpreter's scripts, then a build's own PATH.
    """
    scripts = pathlib.Path(sys.executable).parent
    return os.pathsep.join([str(scripts), os.environ.get("PATH", "")])


try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # `make protos` needs no hatchling
    pass
else:

    class ProtocolCode(BuildHookInterface):  # type: ignore[type-arg]  # hatchling's own form
        """
        Generates the protocol code before anything is packed.
        """

        PLUGIN_NAME = "custom"

        def initialize(self, version: str, build_data: dict[str, object]) -> None:
            """
            Generate; *version* and *build_data* are hatchling's.
            """
            del version, build_data
            generate()


if __name__ == "__main__":
    for path in generate():
        print(path.relative_to(ROOT))  # noqa: T201  (this is a command's output)
