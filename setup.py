"""Checks the platform, and builds the kernel, the program of hosts and the runtime of FMUs; everything else stands in ``pyproject.toml``.

The environment variable ``JOURDAIN_LIBRARIES``, which ``make wheel`` sets, asks for compiled libraries of the whole catalogue instead of the runtime.
"""

import os
import platform
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

if not (sys.platform == "linux" and platform.machine() == "x86_64" and platform.libc_ver()[0] == "glibc"):
    sys.exit(
        f"Jourdain runs on Linux with glibc on x86-64, and this is {platform.system()} on {platform.machine()}: install it in WSL, a container or a "
        "virtual machine; FMUs that it has built for Windows run there without it"
    )

# Not before: what is imported here asks for files that there are on Linux alone.
from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext
from setuptools.errors import CCompilerError

# The package is not installed yet, and a build in an environment of its own does not look here.
sys.path.insert(0, str(Path(__file__).resolve().parent))
from fmu_components.export.compile import COMPILED, PLATFORMS, ExportError, compile_runtime
from fmu_components.export.ready import PACKS

ROOT = Path(__file__).resolve().parent
KERNEL = Path("coupling/kernel")
LOOKUP = Path("fmu_components/runtime")
PROGRAM = "jourdain-host"
SOURCE_OF_PROGRAM = KERNEL / "hosts" / "jourdain_host.c"

CORE = Extension(
    "coupling.kernel._core",
    sources=sorted(str(path) for path in KERNEL.glob("*/*.c") if path != SOURCE_OF_PROGRAM),
    depends=sorted(map(str, (*KERNEL.glob("*/*.h"), LOOKUP / "lookup.h"))),
    include_dirs=[str(KERNEL), str(LOOKUP)],
    extra_compile_args=[
        "-DKERNEL_EXPORTED",
        "-std=c11",
        "-O3",
        "-fno-math-errno",
        "-Wall",
        "-Wextra",
        "-Werror=implicit-function-declaration",
    ],
    extra_link_args=["-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free"],  # see platform/memory.c
)


def compile_at_once(compile_all: Any, sources: list[str], **options: Any) -> list[str]:
    """Compiles sources by as many compilers as there are processors."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return [made for each in pool.map(lambda source: compile_all([source], **options), sources) for made in each]


class BuildWithHost(build_ext):
    """Builds the kernel's library, which knows nothing of Python and has one name for all versions; and what else is compiled."""

    def get_ext_filename(self, fullname: str) -> str:
        return f"{fullname.replace('.', os.sep)}.so"

    def build_extension(self, ext: Extension) -> None:
        self.compiler.compile = partial(compile_at_once, self.compiler.compile)
        super().build_extension(ext)
        try:
            objects = self.compiler.compile(
                [str(SOURCE_OF_PROGRAM)],
                output_dir=self.build_temp,
                include_dirs=[str(KERNEL)],
                extra_postargs=["-std=c11", "-O2", "-Wall", "-Wextra"],
            )
            # Python loads these libraries for the extension, and FMUs rely on them.
            needed = ["-Wl,--no-as-needed", "-lm", "-ldl", "-lpthread"]
            self.compiler.link_executable(objects, PROGRAM, output_dir=str(self._beside(ext)), extra_postargs=needed)
        except CCompilerError as error:
            print(f"{PROGRAM} cannot be built, so that FMUs cannot run in processes of their own: {error}", file=sys.stderr)
        for each in self._made:
            shutil.rmtree(each, ignore_errors=True)  # an earlier build may have left files of older sources
        if os.environ.get("JOURDAIN_LIBRARIES"):
            self._pack_libraries()
        else:
            self._compile_runtime()

    def _pack_libraries(self) -> None:
        """Builds the FMUs of the catalogue, for which the environment must have the product's dependencies."""
        from fmu_components.export.packs import write_packs

        write_packs(self._built(PACKS))

    def _compile_runtime(self) -> None:
        """Compiles the runtime of all FMUs, which otherwise the first use of each user does."""
        try:
            for fmi in (2, 3):
                compile_runtime(PLATFORMS["linux64"], fmi, self._built(COMPILED))
        except ExportError as error:
            print(f"the runtime of FMUs is compiled on first use, since it cannot be now: {error}", file=sys.stderr)

    @property
    def _made(self) -> list[Path]:
        return [self._built(COMPILED), self._built(PACKS)]

    def _built(self, folder: Path) -> Path:
        return Path(self.build_lib, folder.relative_to(ROOT))

    def _beside(self, ext: Extension) -> Path:
        return Path(self.build_lib, self.get_ext_filename(self.get_ext_fullname(ext.name))).parent

    def copy_extensions_to_source(self) -> None:
        super().copy_extensions_to_source()
        package_folder = self.get_finalized_command("build_py").get_package_dir
        for ext in self.extensions:
            built = self._beside(ext) / PROGRAM
            if built.exists():
                self.copy_file(str(built), str(Path(package_folder(ext.name.rpartition(".")[0]), PROGRAM)), level=self.verbose)
        shutil.rmtree(COMPILED, ignore_errors=True)
        if self._built(COMPILED).exists():
            shutil.copytree(self._built(COMPILED), COMPILED)

    def get_outputs(self) -> list[str]:
        made = [path for folder in self._made for path in folder.rglob("*") if path.is_file()]
        return [*super().get_outputs(), *(str(self._beside(ext) / PROGRAM) for ext in self.extensions), *map(str, made)]


class WheelForAllVersions(bdist_wheel):
    """Says that any Python 3 takes the wheel."""

    def get_tag(self) -> tuple[str, str, str]:
        return "py3", "none", super().get_tag()[2]


setup(ext_modules=[CORE], cmdclass={"build_ext": BuildWithHost, "bdist_wheel": WheelForAllVersions})
