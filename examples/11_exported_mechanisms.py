"""Mechanisms as FMUs.

Each mechanism leaves Python as one file, which any tool that imports FMUs runs. A tool that connects FMUs cannot solve the constraints of
joints across them. `System.export_fmu` writes one FMU that solves them inside, for Model Exchange and for Co-Simulation, with all
parameters, without Python. `inputs` names what the mechanism is to be connected with; a port opens with all its variables.

Example 12 runs the three files by FMPy alone.
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path

from jourdain import System

# Other examples have the mechanisms already; what begins with a digit is imported by its name as text.
seven_body_mechanism = import_module("03_seven_body_mechanism")
hydraulic_crane = import_module("06_hydraulic_crane")
motor_slider_crank = import_module("08_motor_slider_crank")


# 1. The seven-body mechanism as it is: its torque is a constant, so that nothing is open. By default the outputs are all states.


def seven_bodies() -> System:
    return seven_body_mechanism.system()


# 2. The mechanics of the crane without its hydraulics. The flange of the actuator is where the cylinder was connected: it takes a force and
# gives length, velocity and acceleration, so that a cylinder of any tool can be connected there.


def crane_mechanics() -> System:
    crane = System("crane mechanics", gravity=(0.0, -hydraulic_crane.GRAVITY))
    hydraulic_crane.add_mechanics(crane, None)
    return crane


# 3. The slider-crank without its motor. Its shaft takes a torque and gives its angle, speed and acceleration. Two meters count the heat of the
# bearing and the work of the pump; of springs and dampers the power is what they give, hence the sign.

METERS = {"bearing": "shaft.rotation.power", "pump": "guide.translation.power"}


def slider_crank() -> System:
    machine = System("slider-crank")
    motor_slider_crank.add_slider_crank(machine)
    for meter, power in METERS.items():
        machine.add(meter, "signal.Integrator", {"k": -1.0})
        machine.connect(power, f"{meter}.u")
    return machine


# 4. What is open, by the name of the file; and the export. Variables have the names that they had in the system.

MECHANISMS = {
    "seven_bodies": (seven_bodies, []),
    "crane_mechanics": (crane_mechanics, ["actuator.flange"]),
    "slider_crank": (slider_crank, ["shaft.flange"]),
}


def export(folder: Path, fmi: int = 2) -> dict[str, Path]:
    """The FMUs by name."""
    return {name: make().export_fmu(folder / f"{name}.fmu", inputs=inputs, fmi=fmi) for name, (make, inputs) in MECHANISMS.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description="Three mechanisms as one FMU each, for any tool that imports FMUs.")
    parser.add_argument("--out", type=Path, default=Path("build/exported"), help="folder for the FMUs (default: build/exported)")
    parser.add_argument("--fmi", type=int, default=2, choices=(2, 3), help="version of FMI (default: 2)")
    chosen = parser.parse_args()
    for name, path in export(chosen.out, chosen.fmi).items():
        system, inputs = MECHANISMS[name][0](), MECHANISMS[name][1]
        print(f"{path}: {len(system.instances)} components, {path.stat().st_size // 1024} KB; open: {', '.join(inputs) or 'nothing'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
