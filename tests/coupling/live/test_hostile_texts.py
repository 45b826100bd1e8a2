"""FMUs that return texts and binary data of wrong lengths: a sentence says so, and the master goes on."""

from __future__ import annotations

import pytest

from coupling import Result, System
from coupling.errors import StartError
from coupling.fmus import FmuError, load
from tests.support.foreign.types import MIME, types
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


def limited(name: str, most: int) -> dict[str, str]:
    """Returns the change that declares the most bytes of a variable."""
    return {f'name="{name}"': f'maxSize="{most}" name="{name}"'}


@pytest.mark.parametrize("options", [{}, {"process": "own"}, {"isolate": "all"}])
def test_more_bytes_than_an_output_declares(options: dict[str, str]) -> None:
    """The FMU returns 3 bytes; as many as it declares pass."""
    system = System("limited")
    isolate = options.get("isolate", "none")
    system.add("a", types(3, limited("blob", 2)), process=options.get("process"))
    sentence = refusal(lambda: system.simulate(0.2, outputs=["a.blob"], isolate=isolate), StartError)
    assert "when getting 'a.blob': it returned 3 bytes for 'blob', and declares at most 2 (maxSize)" in sentence
    assert starts(limited("blob", 3), options.get("process"))["a.blob"][-1] == bytes([0, 255, 0])


def test_more_bytes_than_an_input_accepts() -> None:
    """Start values and drives are refused when they are given, values of connections when they arrive."""
    fmu = types(3, limited("in_blob", 2))
    system = System("limited")
    told = "has 3 bytes, and at most 2 (maxSize) are accepted"
    assert told in refusal(lambda: system.add("b", fmu, {"in_blob": b"abc"}))
    system.add("b", fmu, {"in_blob": b"ab"})
    assert told in refusal(lambda: system.drive("b.in_blob", b"abc"))
    assert told in refusal(lambda: system.drive("b.in_blob", [(0.0, b"a"), (0.1, b"abc")]))
    system.add("a", types(3))
    system.connect("a.blob", "b.in_blob")
    sentence = refusal(lambda: system.simulate(0.2), StartError)
    assert "3 bytes were to be set for 'in_blob', which accepts at most 2 (maxSize)" in sentence


def test_a_limit_of_a_declared_type() -> None:
    """A variable takes limit and MIME type from its type; the limit must be a whole number."""
    declared = {
        "<TypeDefinitions>": '<TypeDefinitions><BinaryType name="Blob" mimeType="image/png" maxSize="2"/>',
        'name="blob"': 'declaredType="Blob" name="blob"',
        f'causality="output" variability="discrete" mimeType="{MIME}"': 'causality="output" variability="discrete"',
    }
    blob = load(types(3, declared)).variables["blob"]
    assert (blob.max_size, blob.mime) == (2, "image/png")
    assert "gives '-1' as the maxSize of 'blob', which cannot be read" in refusal(lambda: load(types(3, limited("blob", -1))), FmuError)
