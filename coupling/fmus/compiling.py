"""The program that compiles the sources of a stranger: all commands in one process tree, with limits of time and memory.

Its argument is a task in JSON, and its output the first command that failed. It imports nothing of this library, and enters the sandbox of
the library whose path is in the task.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import subprocess
import sys
from typing import Any

_LONGEST_MESSAGE = 1 << 16


def _paths(each: list[str]) -> ctypes.Array[ctypes.c_char_p]:
    return (ctypes.c_char_p * (len(each) + 1))(*map(os.fsencode, each), None)


def _limit(kind: int, value: int) -> None:
    _, most = resource.getrlimit(kind)
    resource.setrlimit(kind, (value, value) if most == resource.RLIM_INFINITY or value < most else (most, most))


def main(task: dict[str, Any]) -> dict[str, Any]:
    """Runs the commands of a task one after the other; returns which one failed, with its messages, or a problem before that."""
    _limit(resource.RLIMIT_AS, task["memory"])
    _limit(resource.RLIMIT_CPU, task["seconds"])
    _limit(resource.RLIMIT_FSIZE, task["file"])
    _limit(resource.RLIMIT_CORE, 1)
    if task["core"]:
        problem = ctypes.create_string_buffer(512)
        if ctypes.CDLL(task["core"]).sandbox_enter_compiler(_paths(task["readable"]), _paths(task["writable"]), problem, len(problem)):
            return {"problem": problem.value.decode(errors="replace")}
    for number, command in enumerate(task["commands"]):
        with open(task["messages"], "w+b") as messages:
            try:
                code = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=messages, stderr=messages).returncode
            except OSError as error:
                return {"problem": f"the compiler '{command[0]}' cannot be started: {error.strerror}"}
            messages.seek(0)
            said = messages.read(_LONGEST_MESSAGE).decode(errors="replace")
        if code:
            return {"failed": number, "code": code, "said": said}
    return {}


if __name__ == "__main__":
    print(json.dumps(main(json.loads(sys.argv[1]))))
