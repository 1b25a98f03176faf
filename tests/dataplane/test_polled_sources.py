"""Sources that the driver reads: what falls due when, without Spark."""

import socket
import threading

from flinkpy_dagster.clock import ManualClock
from flinkpy_dagster.dataplane.epochs.polled_sources import NumberRows, SocketLines
from flinkpy_dagster.operators.stream_sources import GeneratedNumbers, SocketText


class Ranges:
    """Stands for a SparkSession: what was asked of ``range``."""

    def __init__(self) -> None:
        self.asked: list[tuple[int, int]] = []

    def range(self, start: int, end: int, step: int) -> "Ranges":
        self.asked.append((start, end))
        return self

    def toDF(self, *names: str) -> "Ranges":
        return self


def numbers(clock: ManualClock, position: int | None = None, **spec) -> NumberRows:
    return NumberRows(GeneratedNumbers(**spec), position, lambda: clock.now_ms() / 1000)


def test_numbers_when_paced_then_they_fall_due_with_the_clock() -> None:
    clock, spark = ManualClock(), Ranges()
    source = numbers(clock, count=25, per_second=10)
    assert not source.has_more()
    clock.advance_to(1000)
    assert source.has_more()
    source.take(spark)
    assert (source.position, source.has_ended) == (10, False)
    clock.advance_to(9000)
    source.take(spark)
    assert spark.asked == [(0, 10), (10, 25)]
    assert source.has_ended
    assert not source.has_more()


def test_numbers_when_restored_then_they_go_on_at_their_pace() -> None:
    clock, spark = ManualClock(500), Ranges()
    source = numbers(clock, position=40, per_second=10)
    assert not source.has_more()
    clock.advance_to(1500)
    source.take(spark)
    assert spark.asked == [(40, 50)]
    assert source.is_endless


def test_numbers_when_not_paced_then_an_epoch_takes_as_many_as_it_may() -> None:
    source, spark = numbers(ManualClock(), per_epoch=100), Ranges()
    source.take(spark)
    source.take(spark)
    assert spark.asked == [(0, 100), (100, 200)]
    assert source.has_more()


def test_socket_when_closed_while_nothing_comes_then_the_other_side_hears_and_no_thread_stays() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        source = SocketLines("words", SocketText(host="127.0.0.1", port=server.getsockname()[1]))
        connection, _ = server.accept()
        with connection:
            connection.settimeout(10)
            source.close()
            assert connection.recv(1) == b""
    assert [thread.name for thread in threading.enumerate() if thread.name == "socket words"] == []
