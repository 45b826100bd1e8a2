"""A watched run in a real notebook: the page stands below its cell and follows the run, and the notebook's interrupt frees everything."""

from __future__ import annotations

import queue
import re
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.watching.reader import Reader

pytestmark = pytest.mark.slow  # each starts a kernel
# Both are for notebooks alone, and no other part of the project needs them.
manager = pytest.importorskip("jupyter_client.manager", reason="no client of notebooks is installed (pip install nbclient)")
pytest.importorskip("ipykernel", reason="no kernel of notebooks is installed (pip install ipykernel)")

MASS = """
from jourdain import System
system = System("mass")
system.add("mass", "mechanical1d.Mass", {"m": 2.0})
"""
WATCH = MASS + 'run = system.start()\nrun.watch({"mass.flange.f": (-2.0, 2.0)}, signals=["mass.v"]%s)\n'


class Notebook:
    """A kernel, and the outputs of its cells."""

    def __init__(self, client: Any, kernel: Any) -> None:
        self._client, self._kernel = client, kernel

    def start(self, code: str) -> str:
        """Begins to run a cell, and returns its number."""
        number: str = self._client.execute(code)
        return number

    def outputs(self, cell: str, until: str = "status", patience: float = 60.0) -> Iterator[dict[str, Any]]:
        """Yields the contents of the messages of a cell, until one of a type comes; the state of the kernel ends a cell when it is idle."""
        end = time.monotonic() + patience
        while time.monotonic() < end:
            try:
                message = self._client.get_iopub_msg(timeout=1.0)
            except queue.Empty:
                continue
            if message["parent_header"].get("msg_id") != cell:
                continue
            yield message["content"] | {"type": message["msg_type"]}
            if message["msg_type"] == until and (until != "status" or message["content"]["execution_state"] == "idle"):
                return
        raise AssertionError(f"the cell has not ended within {patience} s")

    def run(self, code: str) -> str:
        """Runs a cell to its end, and returns what it has printed."""
        found = list(self.outputs(self.start(code)))
        assert not [each for each in found if each["type"] == "error"], found
        return "".join(each["text"] for each in found if each["type"] == "stream")

    def interrupt(self) -> None:
        """Does what the button of a notebook does."""
        self._kernel.interrupt_kernel()


@pytest.fixture
def notebook() -> Iterator[Notebook]:
    kernel, client = manager.start_new_kernel()
    try:
        yield Notebook(client, kernel)
    finally:
        client.stop_channels()
        kernel.shutdown_kernel(now=True)


def reader_of(page: dict[str, Any]) -> Reader:
    """Returns a reader of the page in the frame of an output."""
    found = re.search(r'src="(http://127\.0\.0\.1:[^"]+)"', page["data"]["text/html"])
    assert found and 'height="560"' in page["data"]["text/html"]
    reader = Reader(found[1])
    reader.listen()
    return reader


def test_the_page_stands_below_the_cell_and_moves_the_run(notebook: Notebook) -> None:
    cell = notebook.start(WATCH % ", speed=5.0")
    reader = reader_of(list(notebook.outputs(cell, "display_data"))[-1])
    assert reader.say({"set": {"mass.flange.f": 1.5}})[0] == 204
    reader.wait(lambda state: state["values"] == {"mass.flange.f": 1.5} and bool(reader.rows) and reader.rows[-1][0] > 1.0)
    assert reader.say({"end": True})[0] == 204
    assert not [each for each in notebook.outputs(cell) if each["type"] in ("error", "stream")]
    said = notebook.run('run.advance(1.0); print(run.outcome, run.time > 2.0, run["mass.v"] > 0.75)')
    assert said == "None True True\n"


def test_an_interrupt_ends_the_run_and_frees_everything(notebook: Notebook) -> None:
    """The kernel goes on: the run has its rows and its sentence, the page has gone, and another run can be watched."""
    cell = notebook.start(WATCH % "")
    reader = reader_of(list(notebook.outputs(cell, "display_data"))[-1])
    reader.wait(lambda state: bool(reader.rows) and reader.rows[-1][0] > 0.2)
    began = time.monotonic()
    notebook.interrupt()
    errors = [each for each in notebook.outputs(cell) if each["type"] == "error"]
    assert [each["ename"] for each in errors] == ["KeyboardInterrupt"] and time.monotonic() - began < 5.0
    reader.wait(lambda state: "ended: interrupted at t = " in state["ended"])
    with pytest.raises(OSError):
        reader.get()
    assert notebook.run("print(run.outcome.ending.name, len(run.result.time) > 3)") == "INTERRUPTED True\n"
    assert notebook.run(MASS + "with system.start() as run:\n    run.watch(stop_time=0.1)\nprint(run.outcome)").endswith(
        "completed at t = 0.1 s\n"
    )


def test_an_interrupt_ends_a_piece_that_takes_long(notebook: Notebook) -> None:
    cell = notebook.start(MASS + 'run = system.start(max_step=1e-6)\nprint("begun", flush=True)\nrun.advance(1e4)\n')
    list(notebook.outputs(cell, "stream"))
    threading.Timer(0.5, notebook.interrupt).start()
    assert [each["ename"] for each in notebook.outputs(cell) if each["type"] == "error"] == ["KeyboardInterrupt"]
    assert notebook.run("print(run.outcome.ending.name, run.result.time[-1] > 0)") == "INTERRUPTED True\n"
