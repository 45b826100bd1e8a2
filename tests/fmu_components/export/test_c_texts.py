"""Texts and ranges that tables in C name by numbers."""

from __future__ import annotations

import subprocess

from fmu_components.declare.declaration import Range
from fmu_components.export.c_texts import Ranges, Texts

_NAMES = [("p1.x", "m"), ("1d", "7"), ('a "word"', "\\n"), ("what??!", ""), ("Läufer", "µm"), ("p1.x", "m"), ("p1.x", "rad")]


def test_a_compiler_finds_each_text_where_its_number_says(tmp_path):
    """Names and units with digits, quotation marks, trigraphs and letters of several bytes, and what there is for values outside of a range."""
    texts = Texts()
    places = [texts.place(*each) for each in _NAMES]
    ranges = Ranges(texts)
    bounded = Range(0.0, 2.5, open_below=True, otherwise='take "less"')
    numbers = [ranges.place(Range()), ranges.place(bounded), ranges.place(Range(0.0, 2.5, open_below=True, otherwise='take "less"'))]
    assert (places[0] == places[5], len(set(places)), numbers, len(ranges)) == (True, 6, [0, 1, 1], 2)
    table = ranges.source()
    program = f"""
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
typedef struct {{ double minimum, maximum; unsigned otherwise; bool open_below, open_above; }} Range;
{table}
{texts.source()}
int main(void)
{{
    const int places[] = {{{", ".join(map(str, places))}}};
    for (int i = 0; i < {len(places)}; i++)
        printf("%s|%s\\n", text + places[i], text + places[i] + strlen(text + places[i]) + 1);
    for (int i = 0; i < 2; i++)
        printf("%g|%g|%s|%d|%d\\n", range[i].minimum, range[i].maximum, text + range[i].otherwise, range[i].open_below, range[i].open_above);
    printf("%d\\n", (int)sizeof text - 1);
}}
"""
    (tmp_path / "told.c").write_text(program)
    subprocess.run(["gcc", "-std=c11", "-Wall", "-Werror", "-o", tmp_path / "told", tmp_path / "told.c"], check=True)
    told = subprocess.run([tmp_path / "told"], capture_output=True, text=True, check=True).stdout.split("\n")
    assert told[: len(_NAMES)] == ["|".join(each) for each in _NAMES]
    assert told[len(_NAMES) : -1] == ["-inf|inf||0|0", '0|2.5|take "less"|1|0', str(texts.length)]
