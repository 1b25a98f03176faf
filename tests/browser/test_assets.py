"""The asset graph of the examples, and what an asset's page says after a run."""

import pytest
from playwright.sync_api import expect

from tests.browser.dagster_ui import DagsterUi

pytestmark = [pytest.mark.browser, pytest.mark.dagster, pytest.mark.spark, pytest.mark.slow]


def test_asset_graph_when_opened_then_shows_the_lineage_of_a_program(ui: DagsterUi) -> None:
    ui.open_group("flight_delays")
    for name in ("flights", "weather", "delay_waves", "delays_by_carrier_day", "delays_by_origin_hour"):
        expect(ui.page.get_by_text(name, exact=True).first).to_be_visible()


def test_asset_when_made_then_its_page_has_schema_and_row_count(ui: DagsterUi) -> None:
    run = ui.launch(ui.open_launchpad("word_count_job"))
    ui.server.await_status(run, "SUCCESS")
    ui.open_asset("word_count", "words")
    expect(ui.page.get_by_text("Row count")).to_be_visible()
    expect(ui.page.get_by_text("166", exact=True).first).to_be_visible()  # words of the poem
    columns = ui.page.get_by_role("table").filter(has_text="Column name")
    expect(columns).to_contain_text("f0")
    expect(columns).to_contain_text("String")
    ui.picture("asset")
