"""The instance of DAGSTER_HOME, opened by many at once although its tables are not there yet."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from flinkpy_dagster.orchestration.instances import instance_of_home

AT_ONCE = 6


@pytest.mark.dagster
@pytest.mark.filterwarnings("ignore")
def test_instance_when_several_open_a_new_one_at_once_then_all_can_use_it(tmp_path, monkeypatch) -> None:
    (tmp_path / "dagster.yaml").write_text("telemetry: {enabled: false}\n")
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path))
    together = Barrier(AT_ONCE)

    def opened(number: int) -> str:
        together.wait()
        with instance_of_home() as instance:
            instance.daemon_cursor_storage.set_cursor_values({f"by {number}": "written"})
            return instance.root_directory

    with ThreadPoolExecutor(AT_ONCE) as threads:
        assert set(threads.map(opened, range(AT_ONCE))) == {str(tmp_path)}
    with instance_of_home() as instance:
        keys = {f"by {number}" for number in range(AT_ONCE)}
        assert set(instance.daemon_cursor_storage.get_cursor_values(keys)) == keys
