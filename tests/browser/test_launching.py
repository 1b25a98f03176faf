"""From the launchpad to a run whose ops go green together."""

import pytest
from playwright.sync_api import expect

from tests.browser.dagster_ui import DagsterUi

pytestmark = [pytest.mark.browser, pytest.mark.dagster, pytest.mark.spark, pytest.mark.slow]

EAGER = "execution:\n  config:\n    scheduling_mode: EAGER\n"


def test_launchpad_when_a_value_is_bad_then_it_is_refused_before_there_is_a_run(ui: DagsterUi) -> None:
    before = ui.server.runs_of("word_count_job")
    launchpad = ui.open_launchpad("word_count_job")
    ui.write_config(launchpad, "resources:\n  word_count_run:\n    config:\n      parallelism: many\n")
    expect(launchpad.get_by_text("parallelism").last).to_be_visible()
    expect(launchpad.get_by_text('Value "many"')).to_be_visible()
    expect(launchpad.get_by_role("button", name="Materialize")).to_be_disabled()
    ui.picture("launchpad_refused", of=launchpad)
    assert ui.server.runs_of("word_count_job") == before


def test_launch_when_pressed_with_the_defaults_then_all_ops_succeed(ui: DagsterUi) -> None:
    launchpad = ui.open_launchpad("word_count_job")
    ui.picture("launchpad", of=launchpad)
    run = ui.launch(launchpad)
    ui.steps_are("Succeeded", 2)
    ui.server.await_status(run, "SUCCESS")
    expect(ui.page.get_by_text("Success").first).to_be_visible()


def test_ops_when_scheduled_eagerly_then_run_and_end_together(ui: DagsterUi) -> None:
    launchpad = ui.open_launchpad("flight_delays_job")
    ui.write_config(launchpad, EAGER)
    run = ui.launch(launchpad)
    ui.steps_are("Executing", 6)
    expect(ui.bar_of("flight_delays.delay_waves")).to_be_visible()
    ui.show_steps_one_by_one()
    ui.picture("run_eager_executing", height=520)
    ui.steps_are("Succeeded", 6)
    expect(ui.page.get_by_text("Success", exact=True).first).to_be_visible()
    ui.picture("run_eager", height=520)
    ui.server.await_status(run, "SUCCESS")
    steps = ui.server.run(run)["stepStats"]
    assert max(each["startTime"] for each in steps) < min(each["endTime"] for each in steps)

    ui.open_group("flight_delays")
    expect(ui.page.get_by_text("Materialized").first).to_be_visible()
    ui.picture("lineage")
