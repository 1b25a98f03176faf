"""How far sources have been read, as people see it."""

from flinkpy_dagster.state.metadata import EpochMetadata, OperatorMetadata
from flinkpy_dagster.state.source_progress import source_progress


def test_progress_when_sources_differ_then_each_is_shown_in_its_own_way() -> None:
    topics = OperatorMetadata(
        operator_id="aa",
        uid="orders",
        name="Source: orders",
        parallelism=1,
        max_parallelism=128,
        key_type=None,
    )
    metadata = EpochMetadata(
        job_name="job",
        job_id="0" * 32,
        epoch=3,
        operators={"aa": topics},
        offsets={
            "aa": {"streams": [['{"t":{"0":5}}', None, None]]},
            "bb": {"streams": [['{"logOffset":1}', "query-1/sources/1", None], ["-", None, None]]},
            "cc": {"position": 17},
        },
    )
    assert source_progress(metadata) == {
        topics.label: {"t": {"0": 5}},
        "bb": [{"logOffset": 1}, None],
        "cc": 17,
    }
