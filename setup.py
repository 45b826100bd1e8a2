"""Where Jourdain can be installed; everything else stands in ``pyproject.toml``."""

import platform
import sys

from setuptools import setup

if not (sys.platform == "linux" and platform.machine() == "x86_64" and platform.libc_ver()[0] == "glibc"):
    sys.exit(
        f"Jourdain runs on Linux with glibc on x86-64, and this is {platform.system()} on {platform.machine()}: install it in WSL, a container or a "
        "virtual machine; FMUs that it has built for Windows run there without it"
    )
setup()
