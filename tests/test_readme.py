"""Runs of all code that the README and the manuals show; they show public names alone."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import jourdain
from coupling.schemes.base.scheme import SCHEMES
from coupling.solvers.base.solver import SOLVERS
from coupling.system import System
from fmu_components.declare.component import declaration

ROOT = Path(__file__).parents[1]
README, MANUAL = ROOT / "README.md", ROOT / "docs" / "coupling.md"
SINGLE, DECLARING = ROOT / "docs" / "single-fmus.md", ROOT / "docs" / "declaring.md"
SWITCHES, DRAWINGS = ROOT / "docs" / "declaring-switches.md", ROOT / "docs" / "declaring-pictures.md"
COSIMULATION = ROOT / "docs" / "co-simulation.md"
EXPORT = ROOT / "docs" / "export.md"
SWITCHING = ROOT / "docs" / "friction-contact-impact.md"
SPACE = ROOT / "docs" / "space.md"
BLOCKS = ROOT / "docs" / "blocks.md"
LINEAR = ROOT / "docs" / "linear-models.md"
RESULTS = ROOT / "docs" / "results.md"
MANY = ROOT / "docs" / "many-runs.md"
RELIABILITY = ROOT / "docs" / "reliability.md"
DEBUGGING = ROOT / "docs" / "debugging.md"
SENSITIVITIES = ROOT / "docs" / "sensitivities.md"
SSP = ROOT / "docs" / "ssp.md"
TEXT = README.read_text()
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("docs/decisions/*.md"), *ROOT.glob("docs/tutorials/*.md")])


def snippets(page: Path) -> list[str]:
    """The Python of a page, piece by piece."""
    return re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)


def snippet(page: Path, part: str) -> str:
    """The one piece that has this text in it."""
    (found,) = (each for each in snippets(page) if part in each)
    return found


def run_all(page: Path) -> dict:
    """Returns the values of a page's names after its pieces have run one after the other."""
    scope: dict = {"__name__": page.stem}
    for number, each in enumerate(snippets(page)):
        exec(compile(each, f"{page.name}, snippet {number + 1}", "exec"), scope)
    return scope


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Gives a folder in which the pieces may leave files."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_snippets_on_linear_models_run(scratch):
    """The pendulum swings as a rod does, falls to both sides, is held by half its weight, and stiffens with its spring."""
    scope = run_all(LINEAR)
    assert scope["model"].modes()[0].frequency == pytest.approx(np.sqrt(1.5 * 9.81) / (2 * np.pi), rel=1e-9)
    assert sorted(np.round([other["rod.theta"] for other in scope["upright"].alternatives], 2)) == [-1.57, 4.71]
    assert scope["held"]["pin.effort"] == pytest.approx(4.905, rel=1e-9)
    assert scope["rolling"].eigenvalues[-1] ** 2 == pytest.approx(0.8 * 9.81 / 0.5 - 2.4 * 4**2, rel=1e-9)
    changes = scope["changes"]
    assert changes["rod.y", "rod.p1.rx"] == pytest.approx(1, rel=1e-9) and changes.exact == changes.parameters
    angle = scope["family"].equilibria.of("rod.theta")
    assert angle * scope["family"].values == pytest.approx(-4.905 * np.cos(angle), abs=1e-9)


def test_the_snippets_on_space_run(scratch):
    """The pendulum falls from the horizontal as a planar one does, and the joint of one's own is a joint."""
    scope = run_all(SPACE)
    swing = scope["swing"]
    assert swing.outcome.completed and swing.outcome.warnings == []
    assert np.ptp(swing["rod.energy.kinetic"] + swing["rod.energy.potential"]) < 1e-6
    assert swing["rod.z"].min() == pytest.approx(-0.5, abs=1e-3)
    assert swing["pin.rotation.q"][0] == pytest.approx(np.pi / 2)
    stiff, free = scope["stiff"], scope["free"]
    (warning,) = stiff.outcome.warnings
    assert warning.startswith("3 constraints are redundant") and "Universal" in warning and free.outcome.warnings == []
    assert free["coupler.x"][-1] == pytest.approx(stiff["coupler.x"][-1], abs=1e-8) and np.ptp(free["coupler.x"]) > 0.01
    assert scope["path"].is_file()
    assert declaration(scope["PointOnSphere"])["position[1]"].unit == "m"


def test_the_snippets_on_switching_run(scratch):
    """A ball from 1 m keeps 0.64 of its energy in a bounce, to the little that gravity does while it touches."""
    bounces = run_all(SWITCHING)["bounces"]
    kept = bounces["ball.vy"][-1] ** 2 / 2 + 9.81 * (bounces["ball.y"][-1] - 0.1)
    assert kept == pytest.approx(0.64 * 9.81, rel=5e-3)


def test_the_snippets_on_blocks_run(scratch):
    """The arm loses what its dampers take; a planned motion is kept; the arm that is pinned at its end does not move."""
    scope = run_all(BLOCKS)
    assert all(scope[name].outcome.completed and scope[name].outcome.warnings == [] for name in ("swing", "torques", "held"))
    assert scope["torques"]["upper.qd"] == pytest.approx(np.cos(scope["torques"].time) - 1, abs=1e-6)
    assert np.ptp(scope["held"]["upper.q"]) < 1e-9 and scope["held"]["pin.reaction"][-1] > 1


def test_the_snippets_on_results_run(scratch):
    """The saved rows are those recorded, and every file that the page writes exists."""
    scope = run_all(RESULTS)
    result, again = scope["result"], scope["again"]
    assert (again.values == result.values).all() and again.outcome == result.outcome
    assert {path.name for path in scratch.iterdir()} == {
        "pendulum.jrd",
        "long.jrd",
        "pendulum.mat",
        "pendulum.csv",
        "pendulum.png",
        "pendulum.html",
        "pose.svg",
        "strip.svg",
        "system.svg",
    }
    assert scope["row"]["rod.theta"] == pytest.approx(np.interp(0.25, result.time, result["rod.theta"]), abs=1e-12)
    assert scope["frame"].attrs["units"]["rod.theta"] == scope["dataset"]["rod.theta"].attrs["units"] == "rad"


def test_the_snippets_on_reliability_run(scratch):
    scope = run_all(RELIABILITY)
    assert scope["result"].time[-1] == 20.0
    assert (scratch / "swing.jrd").is_file()


def test_the_snippets_on_many_runs_run(scratch):
    """Every point has its row, and a folder that knows some runs lacks the others only."""
    scope = run_all(MANY)
    table, lengths = scope["table"], scope["lengths"]
    assert len(table) == 6 and table.outcome.completed and table[4]["rod.m"] == 3.0 and table[4]["rod.I"] == 0.05
    assert len(scope["scattered"]) == 16 and not scope["scattered"].failed
    assert (scope["whole"]["rod.theta"] == lengths.kept(0)["rod.theta"]).all()
    assert (scope["kept"]["low"][:2] == lengths["low"]).all() and len(list((scratch / "runs").iterdir())) == 3


def test_the_snippets_on_sensitivities_run():
    """A greater mass turns the pendulum another way, since its inertia stays."""
    result = run_all(SENSITIVITIES)["result"]
    assert result.sensitivity_unit("rod.theta", "rod.m") == "rad/(kg)"
    assert np.abs(result.sensitivity("rod.theta", "rod.m")).max() > 0.5


def test_the_snippets_on_debugging_run(capsys):
    """The lines that the page shows are those of the explanation; a pin that slides leaves the whole push of 20 N to the other one."""
    scope = run_all(DEBUGGING)
    printed = capsys.readouterr().out
    shown = re.findall(r"^    (\S.*|  \S.*)$", DEBUGGING.read_text().split("```")[2], re.MULTILINE)
    assert len(shown) == 4 and all(any(line.startswith(each) for line in printed.splitlines()) for each in shown)
    assert scope["pinned"].multipliers["left.lambda[1]"] == pytest.approx(-10)
    assert scope["sliding"].multipliers["left.lambda[1]"] == pytest.approx(-20)
    assert scope["sliding"].deficiency == 0 and scope["sliding"].warnings == ()


def test_the_measures_are_explained():
    """Every one has its row."""
    import jourdain.measures

    section = MANY.read_text().partition("| `jourdain.measures` | value |")[2].partition("\n\n")[0]
    assert sorted(re.findall(r"`(\w+)\(", section)) == jourdain.measures.__all__


@pytest.mark.slow
def test_the_script_on_many_runs_starts_processes(scratch):
    """The page's first and last pieces as a file: its guard lets processes begin."""
    script = snippets(MANY)[0] + snippet(MANY, "__main__")
    (scratch / "study.py").write_text(script)
    done = subprocess.run([sys.executable, "study.py"], capture_output=True, text=True, cwd=scratch)
    assert done.returncode == 0 and done.stdout.count("completed at t = 2 s") == 3, done.stderr  # each run of the last piece, once


def test_the_snippets_on_ssp_run(scratch):
    """The pendulum that was read swings for as long as its settings say; one of another mass and the same moment of inertia pulls harder."""
    scope = run_all(SSP)
    swing, heavy = scope["swing"], scope["heavy"]
    assert swing.time[-1] == heavy.time[-1] == 1.0 and scope["again"].notes == ()
    assert scope["again"].definition == scope["pendulum"].definition
    assert 1.9 < heavy["pin.reaction"].max() / swing["pin.reaction"].max() < 2.2


def test_the_snippets_of_the_readme_run(scratch):
    """The pendulum swings through a quarter turn and back, its pin holds as the comments say, and it is exported."""
    scope = run_all(README)
    result, stepped = scope["result"], scope["stepped"]
    assert result.outcome.completed and result.outcome.warnings == []
    assert result["rod.theta"].min() == pytest.approx(-np.pi, abs=1e-3)
    assert result.violation["position"].max() < 1e-8
    assert stepped.violation["position"].max() < 1e-12
    assert abs(stepped["rod.theta"][-1] - result["rod.theta"][-1]) < 1e-7
    assert {path.name for path in scratch.iterdir()} == {"pendulum.fmu", "pendulum.html"}


def test_the_readme_is_a_first_page():
    """It has at most 120 lines of at most 140 columns; options, solvers and schemes have their tables in the manuals, once."""
    assert len(TEXT.splitlines()) <= 120 and max(map(len, TEXT.splitlines())) <= 140
    assert not re.search(r"^\| (option|solver|scheme) \|", TEXT, re.MULTILINE)


def test_the_figures_of_the_readme_are_true(scratch, capsys):
    """Eight lines from nothing to what they print; the gap of the pin, and the number of components."""
    first = snippets(README)[0]
    scope: dict = {}
    exec(first, scope)
    assert f"\n    {capsys.readouterr().out}" in TEXT and len([line for line in first.splitlines() if line]) == 7
    assert isinstance(scope["result"]["rod.theta"], np.ndarray) and scope["result"].violation["position"].max() < 1e-12
    assert scope["result"]["pin.reaction"].max() == pytest.approx(2.5 * 9.81, rel=1e-4)
    assert f"**Ready-made parts.** {len(jourdain.all_components())} components" in TEXT


def test_the_snippets_of_the_manual_run(scratch, capsys):
    """The crane carries its load, and its table is written."""
    scope = run_all(MANUAL)
    result = scope["result"]
    assert result.outcome.completed
    # The momentum is that of 20 N over 0.8 s, the ramps counting half; the damper in the hook is internal.
    assert 5 * result["trolley.vx"][-1] + 2 * result["load.vx"][-1] == pytest.approx(16.0, abs=1e-6)
    assert result["load.theta"] == pytest.approx(scope["second"]["load.theta"], abs=1e-4)
    assert (scratch / "crane.csv").read_text().startswith("time [s],trolley")
    assert len(scope["frame"]) == len(result)
    heavier = scope["heavier"]
    assert 5 * heavier["trolley.vx"][-1] + 3 * heavier["load.vx"][-1] == pytest.approx(16.0, abs=1e-6)
    flown = scope["flown"]
    assert scope["path"].is_file()
    assert [flown["ball.x"][-1], flown["ball.y"][-1]] == pytest.approx([2 - 0.2 / 6, 5 - 9.81 / 2 + 0.25])
    printed = capsys.readouterr().out
    assert "cannot change any more" in printed and str(flown["ball.x"][-1]) in printed


def test_the_snippets_on_single_fmus_run(scratch, capsys):
    """The rod is where the comment says."""
    falling = run_all(SINGLE)["falling"]
    assert [falling["p1.x"][-1], falling["p1.y"][-1]] == pytest.approx([2.0, -4.905], abs=1e-9)
    assert str(falling["p1.x"][-1]) in capsys.readouterr().out


def test_the_snippets_on_declaring_run(scratch):
    """The classes are components, and the drawing is an icon."""
    from fmu_components.declare.component import declaration

    scope = run_all(DECLARING)
    screw = declaration(scope["Screw"])
    assert [v.name for v in screw.variables if v.name.startswith("residual")] == ["residual[1]", "residual[2]"]
    assert len(run_all(DRAWINGS)["drawing"].shapes) == 3
    shaken = System("shaken")
    shaken.add("shaker", scope["Shaker"], {"amplitude": 3.0, "frequency": 1 / np.pi})
    shaken.add("mass", scope["DampedMass"], {"b": 2.0, "v": -6 / 8})
    shaken.connect("shaker.flange", "mass.flange")
    moved = shaken.simulate(2.0, rtol=1e-9)
    assert moved["mass.v"] == pytest.approx(0.75 * (np.sin(2 * moved.time) - np.cos(2 * moved.time)), abs=1e-7)
    assert moved["mass.flange.a"] == pytest.approx(1.5 * (np.cos(2 * moved.time) + np.sin(2 * moved.time)), abs=1e-6)


def test_dry_friction_follows_the_force_across_the_guide(scratch):
    """A block on a slope of 30 degrees slides with g (sin - mu cos), and on one of 2 degrees it stays but for the slip."""
    slide = run_all(SWITCHES)["DrySlide"]
    for angle in (np.radians(30), np.radians(2)):
        system = System("slope")
        system.add("ground", "planar.Fixed", {"p1.angle": -angle})
        system.add("guide", slide, {"mu": 0.1, "slip": 1e-5})
        system.add("block", "planar.Body1", {"theta": -angle})
        system.connect("ground.p1", "guide.M")
        system.connect("block.p1", "guide.N")
        fallen = system.simulate(0.5)["guide.translation.q"][-1]
        pull = 9.81 * (np.sin(angle) - 0.1 * np.cos(angle))
        assert fallen == pytest.approx(pull * 0.5**2 / 2, abs=1e-4) if pull > 0 else 0 < fallen < 1e-5


def test_the_table_of_solvers_is_complete():
    """Every solver there is has a row, and every row is of solvers that there are."""
    section = MANUAL.read_text().partition("| solver | method |")[2].partition("\n\n")[0]
    listed = {name for row in section.splitlines() for name in re.findall(r"`(\w+)`", row.split("|")[1] if "|" in row else "")}
    assert listed == set(SOLVERS)


def test_the_snippets_of_co_simulation_run(scratch, capsys):
    """Their comments are true."""
    scope = run_all(COSIMULATION)
    exact, held, kept, turned = (scope[name] for name in ("exact", "held", "kept", "turned"))
    off = [abs(run["rod.theta"][-1] - exact["rod.theta"][-1]) for run in (held, kept)]
    assert off[0] == pytest.approx(1.8e-4, rel=0.1) and off[1] < 1e-10
    assert kept.statistics.passes / kept.statistics.steps < 2.1
    assert max(kept.violation["position"].max(), kept.violation["velocity"].max()) < 1e-10
    assert [turned["load.w"][-1], turned["coupling.lambda[1]"][-1]] == pytest.approx([1.0, 1.0], abs=1e-9)
    assert list(held.created_energy) == ["rod.p1 - pin.N"]
    assert scope["followed"].outcome.completed and scope["hung"].violation["position"].max() < 1e-5


def test_the_snippets_of_the_manual_of_export_run(scratch, capsys):
    """Their comments are true, and the exported crane moves as its parts do where they are not exported."""
    scope = run_all(EXPORT)
    start, lifted, together, stepped, solved = (scope[name] for name in ("start", "lifted", "together", "stepped", "solved"))
    assert [float(start["boom.x"]), float(start["boom.theta"])] == pytest.approx([np.cos(0.5), 0.5], abs=1e-12)

    alone = crane_of(90.0)
    alone.add("push", "mechanical1d.Force")
    alone.connect("push.flange", "lift.flange")
    alone.drive("push.force", [(0.0, 1100.0), (0.5, 1100.0), (0.5, 800.0)])
    expected = alone.simulate(stop_time=1.0, rtol=1e-11, initial="assemble")
    assert lifted["boom.theta"][-1] == pytest.approx(expected["boom.theta"][-1], abs=1e-7)
    assert lifted["boom.theta"][-1] == pytest.approx(0.76, abs=0.005)

    whole = crane_of(90.0)
    machine = scope["machine"]
    whole.add("hook", "planar.Revolute")
    whole.add("load", "planar.Body1", {"m": 50.0, "I": 1.0, "p1.ry": 0.5, "x": 2 * np.cos(0.5), "y": 2 * np.sin(0.5) - 0.5})
    whole.add("strut", "mechanical1d.SpringDamper1D", {"k": 2e4, "b": 500.0})
    whole.add("wall", "mechanical1d.Fixed1D")
    for a, b in machine.connections:
        whole.connect(a.removeprefix("crane."), b)
    # The FMU holds its constraints by Baumgarte's stabilisation: with the hook by it too, the equations are the same.
    runs = [each.simulate(stop_time=2.0, initial="assemble", stabilisation="baumgarte") for each in (machine, whole)]
    assert runs[0]["crane.boom.theta"] == pytest.approx(runs[1]["boom.theta"], abs=1e-9)
    assert together["crane.boom.theta"] == pytest.approx(runs[1]["boom.theta"], abs=1e-8)
    assert [together["crane.boom.theta"][-1], stepped["crane.boom.theta"][-1]] == pytest.approx([0.392749, 0.392748], abs=6e-7)

    driven = crane_of(100.0)
    driven.drive("lift.flange.f", 1100.0)
    assert solved["crane.hinge.lambda[1]"][-1] == pytest.approx(
        driven.simulate(stop_time=1.0, initial="assemble")["hinge.lambda[1]"][-1], rel=1e-6
    )
    assert scope["pushed"]["mass.v"][-1] == pytest.approx(2.0, abs=1e-9)
    assert scope["waved"]["mass.v"][-1] == pytest.approx(3 * (1 - np.cos(1.0)), abs=1e-9)
    printed = capsys.readouterr().out
    assert "the start violates constraints: hinge.position[1] = " in printed
    assert (scope["higher"]["boom.x"][0], scope["higher"]["boom.theta"][0]) == (pytest.approx(np.cos(0.6), abs=1e-12), 0.6)
    assert "'push.force' cannot be exported: a Python function drives it" in printed


def crane_of(mass: float) -> System:
    """The crane of the manual's first snippet, not exported, with a boom of this mass."""
    source = snippet(EXPORT, 'crane = System("crane")').partition("path =")[0].replace('"m": 100.0', f'"m": {mass}')
    exec(source, own := {})
    return own["crane"]


def test_the_arguments_of_export_are_explained():
    """Every argument has a row, and every row is of one, with its default."""
    import inspect

    section = EXPORT.read_text().partition("| argument | default | meaning |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \|", section, re.MULTILINE)
    known = {name: p.default for name, p in inspect.signature(System.export_fmu).parameters.items() if name != "self"}
    assert [name for name, _ in rows] == list(known)
    for name, shown in rows:
        if known[name] is not None and known[name] is not inspect.Parameter.empty:
            assert shown.strip("`") == str(known[name] if not isinstance(known[name], str) else f'"{known[name]}"')


def test_the_table_of_schemes_is_complete():
    section = COSIMULATION.read_text().partition("| scheme | what it does | order")[2].partition("\n\n")[0]
    assert set(re.findall(r"^\| `([\w-]+)`", section, re.MULTILINE)) == set(SCHEMES)


def page_options(page: Path) -> set[str]:
    section = page.read_text().partition("| option |")[2].partition("\n\n")[0]
    return {name for row in section.splitlines()[1:] for name in re.findall(r"`(\w+)`", row.split("|")[1])}


def test_the_tables_of_options_are_complete():
    """Every option of `simulate` that has an effect is explained, and no other."""
    import inspect

    stepping = page_options(COSIMULATION)
    assert stepping == {"communication_step", "scheme"}
    assert page_options(MANUAL) == set(inspect.signature(System.simulate).parameters) - {"self"} - stepping


def test_the_joint_of_the_readme_is_the_revolute_joint(tmp_path):
    """Ten lines in a file of the user's own become the same equations as the library's, and the class can be added to a system."""
    from fmu_components.catalogue import find, from_file
    from fmu_components.declare.component import declaration

    file = tmp_path / "Pin.py"
    file.write_text(snippet(README, "class Pin"))
    (pin,) = from_file(file)
    own, library = declaration(pin), declaration(find("planar.Revolute"))
    assert [(v.name, v.equation) for v in own.variables] == [(v.name, v.equation) for v in library.variables]
    pendulum = System()
    pendulum.add("pin", pin)
    assert pendulum.instances["pin"].model_name == "Pin"


def test_the_bouncing_mass_of_the_manual_bounces(tmp_path, fmi):
    """Its FMU is built from a file and loses speed by e at each bounce."""
    import fmpy

    from fmu_components.catalogue import from_file
    from fmu_components.export.build import cached_fmu

    file = tmp_path / "BouncingMass.py"
    file.write_text(snippet(DECLARING, "class BouncingMass"))
    (component,) = from_file(file)
    for kind in ("ModelExchange", "CoSimulation"):
        result = fmpy.simulate_fmu(
            str(cached_fmu(component, fmi)), fmi_type=kind, stop_time=2.0, output_interval=0.02, output=["h", "bounces"]
        )
        assert result["bounces"][-1] == 3
        assert result["h"].min() > -1e-3


@pytest.mark.parametrize("kind", [jourdain.Component, jourdain.Joint, jourdain.SpatialJoint])
def test_the_page_on_declarations_names_every_word_of_the_language(kind):
    """Every call and definition of a declaration is described outside of the sources."""
    text = "".join(page.read_text() for page in (DECLARING, SWITCHES, DRAWINGS))
    words = [name for name, _ in inspect.getmembers(kind, inspect.isfunction) if not name.startswith("_")]
    assert [word for word in words if not re.search(rf"`{word}\b", text)] == []


def test_the_commands_run(tmp_path):
    """The commands that list and build work as printed."""
    listed = subprocess.run([sys.executable, "build_fmus.py", "--list"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "planar.Revolute" in listed
    subprocess.run([sys.executable, "build_fmus.py", "--out", str(tmp_path), "planar.Revolute"], cwd=ROOT, capture_output=True, check=True)
    assert (tmp_path / "fmi2" / "planar.Revolute.fmu").is_file()
    assert (tmp_path / "fmi3" / "planar.Revolute.fmu").is_file()


def test_the_links_lead_somewhere():
    """Every file that a page points to is there, and every heading on the page itself."""
    broken = []
    for page in PAGES:
        for path, heading in re.findall(r"\]\(([^)#]*)(?:#([^)]*))?\)", page.read_text()):
            target = page.parent / path if path else page
            if "://" not in path and (not target.exists() or (heading and heading not in headings(target))):
                broken.append((page.name, path, heading))
    assert broken == []


def test_the_files_that_pages_name_are_there():
    """A path of the sources in backquotes is one that exists."""
    path_of_sources = r"`((?:jourdain|coupling|fmu_components|tests|docs|examples|benchmarks)/[\w./-]*)`"
    named = [(page.name, path) for page in PAGES if page.stem != "CHANGELOG" for path in re.findall(path_of_sources, page.read_text())]
    assert [(page, path) for page, path in named if not (ROOT / path).exists()] == []


def headings(page: Path) -> set[str]:
    """The anchors of a page."""
    found = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", each.lower()).replace(" ", "-") for each in found}


def shown_sources() -> list[tuple[str, str]]:
    """The Python that users read: snippets of pages, and the examples."""
    pages = [(f"{page.name}, snippet {n + 1}", each) for page in PAGES for n, each in enumerate(snippets(page))]
    return pages + [(file.name, file.read_text()) for file in sorted(ROOT.glob("examples/**/*.py"))]


def test_what_is_shown_imports_public_names_alone():
    """Every import of ours that a user reads is one of `jourdain`, or `from coupling import System`."""
    for place, source in shown_sources():
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Import):
                assert not [n.name for n in node.names if n.name.partition(".")[0] in ("coupling", "fmu_components")], place
            if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in ("coupling", "fmu_components", "jourdain"):
                names = {each.name for each in node.names}
                if node.module == "jourdain":
                    assert names <= {*jourdain.__all__, "icon", "measures", "picture", "shapes"}, place
                else:
                    assert node.module in (
                        *("jourdain.declare", "jourdain.gym", "jourdain.icon", "jourdain.measures", "jourdain.picture", "jourdain.shapes"),
                    ) or (node.module == "coupling" and names == {"System"}), place
