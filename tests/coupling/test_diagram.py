"""``System.diagram``: what is written, of which systems, and what is refused."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from coupling import System
from coupling.errors import BuildError
from coupling.pictures.colours import DARK_DOMAINS, DOMAINS
from coupling.pictures.diagram.icon import INK
from fmu_components.declare.ports import KINDS
from fmu_components.export.pages import icons
from tests.support import foreign
from tests.support.diagrams import offences
from tests.support.systems.machines import EXAMPLES, example
from tests.support.systems.systems import pendulum, refusal

SVG = "{http://www.w3.org/2000/svg}"
MADE = (
    *(
        "01_pendulum",
        "03_seven_body_mechanism",
        "06_hydraulic_crane",
        "07_excavator",
        "08_motor_slider_crank",
        "09_gantry_crane",
        "10_suspension",
    ),
    *("13_heavy_top", "14_bricard", "15_spatial_slider_crank", "16_stewart_platform", "17_quarter_car", "18_pointing", "19_wheel"),
    *("20_parallelogram", "21_rolling_disc", "22_two_masses", "23_balloon", "24_robot_arm", "25_chaplygin", "26_measured_pendulum"),
    *("29_quick_return", "30_vehicle", "31_stick_slip", "32_clutch", "33_pendulum_at_wall", "34_newtons_cradle", "35_walkers_foot"),
    *("39_python_controller", "40_cart_and_pole", "41_hardware_loop", "42_flexible_slider_crank", "43_satellite", "44_bracket"),
)
OPTIONS: dict[str, dict[str, Any]] = {
    "06_hydraulic_crane": {"meters": True},
    "07_excavator": {"planner": None},
    "35_walkers_foot": {"slope": 0.1, "mu": 0.5},
}
QUICK = ("03_seven_body_mechanism", "34_newtons_cradle")


@pytest.mark.parametrize("name", [pytest.param(each, marks=() if each in QUICK else pytest.mark.slow) for each in MADE])
def test_diagrams_of_examples(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The wires cross no icon and the labels do not overlap; a diagram takes less than 200 kB and is the same twice."""
    monkeypatch.setattr(sys, "path", [str(EXAMPLES), *sys.path])
    module = example(name)
    system = getattr(module, "car" if name == "30_vehicle" else "system")(**OPTIONS.get(name, {}))
    text = system.diagram(tmp_path / "a.svg").read_text()
    assert list(offences(text)) == []
    assert len(text.encode()) < 200_000
    assert system.diagram(tmp_path / "b.svg").read_text() == text
    told = [each.text or "" for each in ElementTree.fromstring(text).iter(f"{SVG}title")]
    assert sorted(title.partition(":")[0] for title in told[1:]) == sorted(system.instances)
    assert f"{len(system.instances)} instances, {len(system.connections)} connections" in text


def leg() -> System:
    """A pendulum with a motor, a meter, and a second one inside it; names that markup has other uses for."""
    system = pendulum()
    system.include("inner <1>", pendulum())
    system.add("meter & co", "signal.Integrator")
    system.connect("pin.rotation.q", "meter & co.u")
    return system


def test_names_are_escaped_and_symbols_are_shared(tmp_path: Path) -> None:
    """One symbol for each component, wherever it is used; what a name holds never becomes markup."""
    system = leg()
    system.name = "<script>alert(1)</script>"
    text = system.diagram(tmp_path / "leg.svg").read_text()
    root = ElementTree.fromstring(text)
    assert list(offences(text)) == [] and "<script" not in text
    models = {fmu.model_name for fmu in system.instances.values()}
    symbols, uses = list(root.iter(f"{SVG}symbol")), list(root.iter(f"{SVG}use"))
    assert len(symbols) == len(models) and len(uses) == len(system.instances)
    assert {use.get("href") for use in uses} == {f"#{symbol.get('id')}" for symbol in symbols}
    assert {each.text for each in root.iter(f"{SVG}text")} >= {"inner <1>", "meter & co", "<script>alert(1)</script>", "u"}


def test_symbols_of_two_systems_have_different_names(tmp_path: Path) -> None:
    """Otherwise the second diagram on one page would have the icons of the first."""
    texts = [system.diagram(tmp_path / "x.svg").read_text() for system in (pendulum(), leg())]
    first, second = (set(re.findall(r'id="([^"]*)"', text)) for text in texts)
    assert first and second and not first & second


def test_light_and_dark(tmp_path: Path) -> None:
    """Each colour of a domain that is there has its like on dark pages."""
    text = pendulum().diagram(tmp_path / "x.svg").read_text()
    light, dark = text.split("@media (prefers-color-scheme:dark)")
    assert f".planar{{stroke:{DOMAINS['planar']}" in light and f".planar{{stroke:{DARK_DOMAINS['planar']}" in dark
    assert ".hydraulic" not in text and set(DOMAINS) == set(DARK_DOMAINS)


def test_colours_are_those_of_icons() -> None:
    """The colours of ports are declared once with their kinds; the ink of drawings is declared once too."""
    assert {kind.terminal_kind.removeprefix("org.jourdain."): kind.colour for kind in KINDS}.items() <= DOMAINS.items()
    assert icons.INK == INK


def test_included_systems_fold(tmp_path: Path) -> None:
    """A system at depth 0 folds into one box, without a frame, with the ports that lead outside."""
    system = System("two legs")
    for side in ("left", "right"):
        system.include(side, pendulum())
    system.add("spring", "planar.SpringDamper")
    system.connect("spring.M", "left.rod.p1")
    system.connect("spring.N", "right.rod.p1")
    text = system.diagram(tmp_path / "x.svg", depth=0).read_text()
    root = ElementTree.fromstring(text)
    assert {each.text for each in root.iter(f"{SVG}text") if each.get("class") == "name"} == {"left", "right", "spring"}
    assert "rod.p1" in text and "3 instances" in text and 'class="frame"' not in text
    opened = system.diagram(tmp_path / "y.svg").read_text()
    assert opened.count('class="frame"') == 2 and list(offences(opened)) == list(offences(text)) == []


def test_without_signals(tmp_path: Path) -> None:
    """The diagram has no wires of variables, no instances without other ports, and no drives."""
    system = leg()
    system.drive("inner <1>.rod.p1.Fx", 1.0)
    full, bare = (system.diagram(tmp_path / "x.svg", signals=each).read_text() for each in (True, False))
    assert "meter &amp; co" in full and 'class="drive signal"' in full
    assert "meter" not in bare and "signal" not in bare.partition("</style>")[2]


def test_png_and_pdf(tmp_path: Path) -> None:
    """Matplotlib draws them, with the shape of the SVG."""
    from matplotlib.image import imread

    size = re.search(r'width="(\d+)" height="(\d+)"', pendulum().diagram(tmp_path / "x.svg").read_text())
    assert size
    image = imread(pendulum().diagram(tmp_path / "x.png"))
    assert image.shape[:2] == (2 * int(size[2]), 2 * int(size[1]))
    blue = tuple(int(DOMAINS["planar"][i : i + 2], 16) / 255 for i in (1, 3, 5))
    assert (abs(image[:, :, :3] - blue).max(axis=2) < 0.02).sum() > 100
    assert pendulum().diagram(tmp_path / "x.pdf").read_bytes().startswith(b"%PDF")


def test_foreign_fmus_are_boxes_with_ports(tmp_path: Path) -> None:
    """An FMU of another tool has the name of its model in its box, and the ports that are connected or driven."""
    system = System("foreign")
    system.add("sine", "signal.Sine")
    system.add("swing", foreign.oscillator())
    system.connect("sine.y", "swing.u")
    text = system.diagram(tmp_path / "x.svg").read_text()
    told = {(each.get("class"), each.text) for each in ElementTree.fromstring(text).iter(f"{SVG}text")}
    assert {("model", system.instances["swing"].model_name), ("name", "swing"), ("port", "u"), ("port", "y")} <= told
    assert text.count("<use") == 1 and list(offences(text)) == []


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"depth": -1}, "diagram: depth = -1 is refused: give 0, 1, 2 ..., or None to show all that is included"),
        ({"depth": True}, "diagram: depth = True is refused: give 0, 1, 2 ..., or None to show all that is included"),
        ({"signals": "no"}, "diagram: signals = 'no' is refused: give True or False"),
    ],
)
def test_options_are_refused_by_name(options: dict[str, Any], sentence: str, tmp_path: Path) -> None:
    assert refusal(lambda: pendulum().diagram(tmp_path / "x.svg", **options), BuildError) == sentence


def test_systems_without_anything_to_draw(tmp_path: Path) -> None:
    """An empty one; one of signals alone, without signals; and a path of another sort."""
    assert refusal(lambda: System("none").diagram(tmp_path / "x.svg"), BuildError) == (
        "the system 'none' is empty, and there is nothing to draw; add instances first"
    )
    signals = System("signals")
    signals.add("wave", "signal.Sine")
    assert refusal(lambda: signals.diagram(tmp_path / "x.svg", signals=False), BuildError) == (
        "diagram: the system 'signals' has nothing but signals; leave signals=False out"
    )
    assert "a picture is written as .svg, .png or .pdf" in refusal(lambda: signals.diagram(tmp_path / "x.gif"), ValueError)
