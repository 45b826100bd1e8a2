"""``docs/pictures/seven-body.svg``: the seven-body mechanism in motion, which the README shows."""

from __future__ import annotations

from pathlib import Path

from docs.site.gallery import example

PICTURE = Path(__file__).parents[1] / "pictures" / "seven-body.svg"


def write(path: Path) -> None:
    """Simulates and draws the mechanism of the example."""
    module = example("03_seven_body_mechanism")
    result = module.system().simulate(module.STOP, solver="dop853", rtol=1e-9, output_interval=1e-4)
    result.animate(
        path, signals=["link1.p1.omega", "spring.tension"], traces=["link2.p2"], title="Seven bodies, ten joints, a spring: 23 FMUs"
    )


if __name__ == "__main__":
    PICTURE.parent.mkdir(exist_ok=True)
    write(PICTURE)
