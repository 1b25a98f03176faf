"""A check that fails, with the values that nobody expected."""

import pytest
from playwright.sync_api import expect

from tests.browser.dagster_dev import TESTS
from tests.browser.dagster_ui import DagsterUi

pytestmark = [pytest.mark.browser, pytest.mark.dagster, pytest.mark.spark, pytest.mark.slow]


def test_check_when_it_fails_then_its_page_shows_samples(ui: DagsterUi) -> None:
    run = ui.launch(ui.open_launchpad("measured_job", TESTS))
    ui.server.await_status(run, "SUCCESS")
    ui.open("/assets/measured/readings?view=checks&checkDetail=plausible")
    expect(ui.page.get_by_text("plausible").first).to_be_visible()
    expect(ui.page.get_by_text("1 of 2 expectations").first).to_be_visible()
    for value in ("-400", "999"):
        expect(ui.page.get_by_text(value).first).to_be_visible()
    ui.picture("check_failed")
