"""A run that fails in the middle, and goes on from there."""

import pytest
from playwright.sync_api import expect

from tests.browser.dagster_dev import TESTS
from tests.browser.dagster_ui import DagsterUi
from tests.browser.examples import GOOD_SENSORS

pytestmark = [pytest.mark.browser, pytest.mark.dagster, pytest.mark.spark, pytest.mark.slow]


def test_run_when_re_executed_from_failure_then_stored_results_are_used_again(ui: DagsterUi) -> None:
    run = ui.launch(ui.open_launchpad("fragile_job", TESTS))
    ui.server.await_status(run, "FAILURE")
    ui.steps_are("Errored", 1)
    expect(ui.page.get_by_text("cannot be trusted").first).to_be_visible()
    ui.picture("run_failed", height=330)

    (ui.server.folder / GOOD_SENSORS).touch()
    ui.re_execute("From failure")
    again = ui.opened_run(other_than=run)
    ui.server.await_status(again, "SUCCESS")
    ui.steps_are("Succeeded", 1)
    ui.picture("run_from_failure", height=420)
    assert len(ui.server.run(again)["stepStats"]) == 1
