"""A run that does not end: checkpoints as they come, plotted over time; terminated in the UI."""

import pytest
from playwright.sync_api import expect

from tests.browser.dagster_dev import TESTS, eventually
from tests.browser.dagster_ui import DagsterUi

pytestmark = [pytest.mark.browser, pytest.mark.dagster, pytest.mark.spark, pytest.mark.slow]

_MATERIALIZATIONS = """
query($key: AssetKeyInput!) { assetOrError(assetKey: $key) { ... on Asset { assetMaterializations { runId } } } }
"""


def test_run_when_it_does_not_end_then_checkpoints_are_plotted_until_it_is_terminated(ui: DagsterUi) -> None:
    run = ui.launch(ui.open_launchpad("endless_job", TESTS))
    ui.steps_are("Executing", 2)

    def has_checkpoints() -> bool:
        key = {"path": ["endless", "checkpoints"]}
        events = ui.server.ask(_MATERIALIZATIONS, key=key)["assetOrError"].get("assetMaterializations", [])
        return len(events) >= 3

    eventually(has_checkpoints, 600)
    ui.open_asset("endless", "checkpoints")
    plots = ui.page.get_by_role("button", name="Plots")
    plots.click()
    for number in ("duration_ms", "bytes_full", "keys"):
        expect(ui.page.get_by_text(number, exact=True).first).to_be_visible()
    expect(ui.page.locator("canvas").first).to_be_visible()
    plots.scroll_into_view_if_needed()
    ui.picture("checkpoint_plots")
    ui.open_asset("endless", "checkpoints", view="events")
    expect(ui.page.get_by_text("duration_ms").first).to_be_visible()
    ui.picture("checkpoint_events")

    ui.open(f"/runs/{run}")
    ui.page.get_by_role("button", name="Terminate", exact=False).first.click()
    dialog = ui.page.get_by_role("dialog")
    dialog.get_by_role("button", name="Terminate").click()
    ui.server.await_status(run, "CANCELED")
    ui.open(f"/runs/{run}")
    expect(ui.page.get_by_text("Canceled", exact=True).first).to_be_visible()
    expect(ui.page.get_by_text("RUN_CANCELED").first).to_be_visible()
    ui.picture("run_canceled", height=420)
