"""What a sensor looks with: what a look costs."""

from flinkpy_dagster import NewFiles
from flinkpy_dagster.orchestration.sensors.triggers import FileSeen


def test_files_when_there_are_many_then_the_last_look_is_gone_through_once() -> None:
    class Counted(list):
        times = 0

        def __iter__(self):
            self.times += 1
            return super().__iter__()

    files = [FileSeen(f"/landing/{number}.csv", 1.0, 1) for number in range(50)]
    trigger = NewFiles("/landing", listing=lambda: files)
    first = trigger.look(None, None)
    cursor = Counted(first.cursor)
    files.append(FileSeen("/landing/new.csv", 1.0, 1))
    assert trigger.look(None, cursor).content == ("/landing/new.csv",)
    assert cursor.times == 1
