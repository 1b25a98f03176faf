"""Dagster's UI as a user goes through it: where things are, and how to wait for them."""

import os
import re
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from tests.browser.dagster_dev import EXAMPLES, DagsterDev

SECONDS = 1000.0  # Playwright counts in ms
SLOW = 120 * SECONDS
_EACH_IN_ITS_LINE = """() => {
    const tops = [...document.querySelectorAll(".chart-element.box")].map(bar => bar.getBoundingClientRect().top);
    return tops.length > 0 && new Set(tops).size === tops.length;
}"""
PICTURES = "FLINKPY_PICTURES"
"""Environment variable: the folder where pictures are kept, ``docs/pictures`` to renew those of the docs."""


class DagsterUi:
    """One browser page. ``pictures``: folder of the screenshots."""

    def __init__(self, page: Page, server: DagsterDev, pictures: Path) -> None:
        self.page, self.server = page, server
        self.pictures = Path(os.environ[PICTURES]).resolve() if PICTURES in os.environ else pictures
        page.set_default_timeout(SLOW)
        expect.set_options(timeout=SLOW)

    def open(self, path: str) -> None:
        self.page.goto(f"{self.server.url}{path}", wait_until="domcontentloaded")

    def picture(self, name: str, *, height: int | None = None, of: Locator | None = None) -> None:
        """Keeps what is seen: the upper ``height`` pixels of the page, or one element."""
        self.pictures.mkdir(parents=True, exist_ok=True)
        path = self.pictures / f"{name}.png"
        self.page.mouse.move(0, 0)  # no tooltips
        if of is not None:
            of.screenshot(path=path, animations="disabled")
            return
        size = self.page.viewport_size or {"width": 1400, "height": 900}
        clip = {"x": 0, "y": 0, "width": size["width"], "height": height or size["height"]}
        self.page.screenshot(path=path, clip=clip, animations="disabled")

    # -- the launchpad -------------------------------------------------------------------------------------

    def open_launchpad(self, job: str, location: str = EXAMPLES) -> Locator:
        """The launchpad of a program's job, as its dialog."""
        self.open(f"/locations/{location}/jobs/{job}")
        button = self.page.get_by_role("button", name="Materialize all")
        expect(button).to_be_enabled()
        button.click(modifiers=["Shift"])
        dialog = self.page.get_by_role("dialog")
        expect(dialog.locator(".CodeMirror").first).to_be_visible()
        expect(dialog.get_by_text("No errors")).to_be_visible()
        expect(dialog.get_by_role("button", name="Materialize")).to_be_enabled()
        return dialog

    def write_config(self, dialog: Locator, yaml: str) -> None:
        """Replaces what is in the launchpad's editor."""
        editor = dialog.locator(".CodeMirror").first
        editor.evaluate("(editor, text) => editor.CodeMirror.setValue(text)", yaml)

    def launch(self, dialog: Locator) -> str:
        """Presses the launchpad's button; the id of the run, whose page is then open."""
        expect(dialog.get_by_text("No errors")).to_be_visible()
        dialog.get_by_role("button", name="Materialize").click()
        return self.opened_run()

    def opened_run(self, other_than: str | None = None) -> str:
        """The id of the run whose page is open."""
        other = f"(?!{other_than})" if other_than else ""
        self.page.wait_for_url(re.compile(rf"/runs/{other}[0-9a-f]{{8}}-"), wait_until="commit")
        return self.page.url.rpartition("/runs/")[2].partition("?")[0]

    # -- the page of a run -----------------------------------------------------------------------------------

    def steps_are(self, state: str, count: int) -> None:
        """Waits until the list beside the chart has so many steps: ``Executing``, ``Succeeded``, ``Errored``."""
        expect(self.page.get_by_text(f"{state} ({count})", exact=True)).to_be_visible(timeout=5 * SLOW)

    def show_steps_one_by_one(self) -> None:
        """A line for each step: by time, Dagster draws those that depend on each other in one line, as if in turn."""
        self.page.set_viewport_size({"width": 1400, "height": 1300})
        self.page.get_by_role("img", name="gantt_flat").click()
        self.page.wait_for_function(_EACH_IN_ITS_LINE)

    def bar_of(self, step: str) -> Locator:
        """A step in the chart."""
        return self.page.locator(f'[data-tooltip="{step}"]').first

    def re_execute(self, what: str) -> None:
        """Chooses from the menu beside *Re-execute all*: ``From failure``, ``All``, ..."""
        button = self.page.get_by_role("button", name="Re-execute")
        expect(button.first).to_be_enabled()
        button.first.locator("xpath=following::button[1]").click()
        self.page.get_by_role("menuitem", name=what).click()

    # -- assets ------------------------------------------------------------------------------------------------

    def open_group(self, name: str, location: str = EXAMPLES) -> None:
        """The asset graph of a program, with what is known of each asset."""
        self.open(f"/locations/{location}/asset-groups/{name}/lineage")
        expect(self.page.get_by_text("Latest event").first).to_be_visible()
        expect(self.page.get_by_text("Loading...")).to_have_count(0)

    def open_asset(self, *key: str, view: str = "overview") -> None:
        self.open(f"/assets/{'/'.join(key)}?view={view}")
        expect(self.page.get_by_text(key[-1]).first).to_be_visible()
