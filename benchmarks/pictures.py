"""Loading time of a page, and time of a frame: 50 bodies in 10,000 rows, in the plane and in space, in headless Chromium.

The goals are less than 2 s until a page is ready and less than 20 ms for a frame. A page has at most 2 MB in the plane and 4 MB in space.
Without a graphics card, Chromium draws a frame in space by software, which takes as long as other programs let it.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from time import perf_counter

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # the browser and the bodies are those of the tests

from tests.coupling.pictures.test_page import many_bodies  # noqa: E402
from tests.support.browser import CHROMIUM, Browser  # noqa: E402

FRAME = """((waits, frames) => {
    const pixel = new Uint8Array(4), gl = document.querySelector('#view').getContext('webgl2'), began = performance.now();
    for (let k = 0; k < frames; k++) {
        player.seek(player.scene.t0 + (player.scene.t1 - player.scene.t0) * k / frames);
        player.render();
        if (gl && waits) gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    }
    return (performance.now() - began) / frames;
})"""
"""Milliseconds of a frame; reading a pixel waits until it is drawn."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bodies", type=int, default=50)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--repetitions", type=int, default=3)
    chosen = parser.parse_args()
    if CHROMIUM is None:
        sys.exit("this benchmark needs Chromium: apt-get install chromium")
    print(f"{chosen.bodies} bodies, {chosen.rows} rows")
    print(f"{'':8}{'written':>10}{'size':>10}{'ready':>10}{'a frame':>10}{'with software drawing':>24}")
    with Browser() as browser, tempfile.TemporaryDirectory() as folder:
        for name, space in (("plane", False), ("space", True)):
            result = many_bodies(chosen.bodies, chosen.rows, space)
            began = perf_counter()
            page = result.animate(Path(folder) / f"{name}.html")
            wrote = perf_counter() - began
            ready, frames, drawn = [], [], []
            for _ in range(chosen.repetitions):
                browser.open(page)
                ready.append(browser.value("player.ready"))
                frames.append(browser.value(f"{FRAME}(false, 50)"))
                drawn.append(browser.value(f"{FRAME}(true, 3)"))
            assert not browser.errors, browser.errors
            print(
                f"{name:8}{wrote:8.2f} s{page.stat().st_size / 1e6:7.2f} MB{min(ready) / 1e3:8.2f} s{min(frames):7.1f} ms{min(drawn):21.1f} ms"
            )


if __name__ == "__main__":
    main()
