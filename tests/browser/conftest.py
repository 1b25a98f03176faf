"""One ``dagster dev`` and one Chromium for all tests of the folder; without a browser they are skipped."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Error, sync_playwright

from tests.browser.dagster_dev import DagsterDev
from tests.browser.dagster_ui import DagsterUi

_SYSTEMS = ("chromium", "chromium-browser", "google-chrome")
_QUIET = ["--disable-gpu", "--disable-background-networking", "--disable-component-update", "--no-first-run"]


@pytest.fixture(scope="package")  # not longer: Playwright keeps an event loop running
def browser() -> Iterator[Browser]:
    """The system's Chromium, or the one that Playwright has installed."""
    system = next(filter(None, map(shutil.which, _SYSTEMS)), None)
    with sync_playwright() as playwright:
        try:
            made = playwright.chromium.launch(
                executable_path=system, args=[*_QUIET, "--no-sandbox"], timeout=120_000
            )
        except Error as error:
            pytest.skip(f"there is no Chromium (apt-get install chromium): {error.message.splitlines()[0]}")
        yield made
        made.close()


@pytest.fixture(scope="package")  # not longer: Playwright keeps an event loop running
def server(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DagsterDev]:
    made = DagsterDev(tmp_path_factory.mktemp("dagster_dev") / "folder")
    try:
        made.wait_until_loaded()
        yield made
    finally:
        made.stop()


@pytest.fixture
def ui(browser: Browser, server: DagsterDev, tmp_path: Path) -> Iterator[DagsterUi]:
    context = browser.new_context(
        viewport={"width": 1400, "height": 900}, device_scale_factor=1, timezone_id="UTC"
    )
    made = DagsterUi(context.new_page(), server, tmp_path / "pictures")
    yield made
    context.close()
