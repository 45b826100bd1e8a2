"""Text with frames of MultiBody for rumoca, which cannot load these: a connector of the same variables stands for them.

A connector needs as many flows as potentials; the entries of an orientation have none. The stand-in adds flows that are zero.
"""

from __future__ import annotations

import re

STAND_IN = """  package Interfaces
    record Orientation
      Real T[3, 3];
      Real w[3];
    end Orientation;
    connector Frame
      Real r_0[3];
      Orientation R;
      flow Real f[3];
      flow Real t[3];
      flow Real none[9];
    end Frame;
"""


def for_rumoca(text: str) -> str:
    """Returns the text with the stand-in. The tree of orientations is for compilers that know MultiBody, and left out."""
    head = re.compile(r'^( *)  package Interfaces\n *"Connectors of the components"$', re.MULTILINE)
    text = head.sub(lambda found: "\n".join(f"{found[1]}{line}" for line in STAND_IN.splitlines()), text)
    text = text.replace("Modelica.Mechanics.MultiBody.Interfaces.Frame_a", "Interfaces.Frame")
    text = re.sub(r"\n *Connections\.[^\n]*", "", text)
    return re.sub(r"\n( *)(\w+)(\.f = -\w+\.R\.T[^\n]*)", r"\n\1\2\3\n\1\2.none = zeros(9);", text)
