"""The program of a host that is a Python, for FMUs whose binaries take Python from their process; ``host.py`` starts it.

Its arguments are the search path of modules, and those of ``jourdain-host``. It imports nothing of this library.
"""

import ctypes
import os
import sys

if __name__ == "__main__":
    program, path, *others = sys.argv
    sys.path[:] = path.split(os.pathsep)
    sys.argv = [""]
    arguments = [os.fsencode(each) for each in (program, *others)]
    host_run = ctypes.CDLL(others[0]).host_run  # calls without the interpreter lock, which slaves take for themselves
    sys.exit(host_run(len(arguments), (ctypes.c_char_p * (len(arguments) + 1))(*arguments, None)))
