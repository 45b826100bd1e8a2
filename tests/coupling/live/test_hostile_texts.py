"""FMUs that return texts and binary data of wrong lengths: a sentence says so, and the master goes on."""

from __future__ import annotations

import pytest

from coupling import Result, System
from coupling.errors import StartError
from tests.support.foreign.types import types
from tests.support.systems.systems import refusal

GIVEN = "size[i] = values(m, r[i])->bytes;"


def starts(changes: dict[str, str], process: str | None, name: str = "a.blob") -> Result:
    system = System("hostile")
    system.add("a", types(3, changes), process=process)
    return system.simulate(0.2, outputs=[name])


@pytest.mark.parametrize("process", [None, "own"])
def test_an_impossible_length(process: str | None) -> None:
    """Nothing is read there."""
    sentence = refusal(lambda: starts({GIVEN: "size[i] = (size_t)1 << 60;"}, process), StartError)
    why = "it returned a binary of 1152921504606846976 bytes, and 16 MiB is the most that is passed on"
    assert ("its texts are larger than the memory that it shares with its process" if process else why) in sentence


@pytest.mark.parametrize("process", [None, "own"])
def test_bytes_without_an_address(process: str | None) -> None:
    """A length alone is no binary; no bytes need no address."""
    address = "value[i] = values(m, r[i])->blob,"
    sentence = refusal(lambda: starts({address: "value[i] = NULL,"}, process), StartError)
    assert "when getting 'a.blob': it returned a binary" in sentence and "without an address" in sentence
    assert starts({address: "value[i] = NULL,", GIVEN: "size[i] = 0;"}, process)["a.blob"][-1] == b""
    assert starts({"value[at++] = v->text;": "value[at++] = NULL;"}, process, "a.text")["a.text"][-1] == ""


SCRIBBLER = r"""
#include <pthread.h>
static void *scribble(void *unused)
{
    unsigned long first, last;
    char line[300], mode[8];
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        if (sscanf(line, "%lx-%lx %7s", &first, &last, mode) == 3 && mode[1] == 'w' && mode[3] == 's' && last - first > (1u << 20))
            for (int again = 0; again < 40; again++)
                memset((char *)first + (last - first > (1ul << 27) ? 0 : 69632), 0xFF - again % 256, 1 << 16);
    return NULL;
}
static Status get_texts("""


def test_shared_memory_that_is_overwritten() -> None:
    """A thread of the FMU writes into the answers of its process: the master survives, with a result or a sentence."""
    begin = "size_t at = 0;\n    for (size_t i = 0; i < n; i++) {\n        Values"
    thread = begin.replace("size_t at = 0;", "size_t at = 0; pthread_t t; pthread_create(&t, NULL, scribble, NULL);")
    system = System("hostile")
    system.add("a", types(3, {"static Status get_texts(": SCRIBBLER, begin: thread}), process="own")
    for _ in range(2):
        try:
            result = system.simulate(0.2, outputs=["a.text", "a.texts"])
        except StartError as error:
            assert "'a'" in str(error)
        else:
            assert result.outcome.sentence
