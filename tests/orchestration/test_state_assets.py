"""The state of operators as assets, without Spark."""

from dagster import AssetKey

from flinkpy_dagster.orchestration.programs.state_assets import EVERY_SECONDS, StateReports
from flinkpy_dagster.state.metadata import EpochMetadata, OperatorMetadata
from flinkpy_dagster.state.refs import SubtaskStateRef

KEY = AssetKey(["shop", "orders", "checkpoints"])


def epoch() -> EpochMetadata:
    def operator(name: str, keys: int) -> OperatorMetadata:
        ref = SubtaskStateRef(operator_id=name * 2, subtask=0, epoch=3, entries=keys)
        return OperatorMetadata(
            operator_id=name * 2, uid=name, name="Reduce", parallelism=1, max_parallelism=128, subtasks=(ref,)
        )

    operators = {"1": operator("per item", 7), "2": operator("stateless", 0)}
    return EpochMetadata(job_name="orders", job_id="0" * 32, epoch=3, checkpoint_id=2, operators=operators)


def test_state_when_an_operator_has_some_then_its_asset_says_how_to_open_it() -> None:
    (told,) = StateReports(KEY).events(epoch(), "/chk-2")
    assert told.asset_key == AssetKey(["shop", "orders", "state", "per_item"])
    assert (told.metadata["keys"].value, told.metadata["checkpoint_id"].value) == (7, 2)
    assert told.metadata["open"].value == "flinkpy state /chk-2 --uid 'per item'"


def test_state_when_told_then_again_after_an_hour_or_when_it_is_wanted() -> None:
    now = [0.0]
    reports = StateReports(KEY, lambda: now[0])
    told = [len(list(reports.events(epoch(), "/chk-2"))) for _ in range(2)]
    told.append(len(list(reports.events(epoch(), "/savepoint", is_wanted=True))))
    now[0] = EVERY_SECONDS
    told.append(len(list(reports.events(epoch(), "/chk-9"))))
    assert told == [1, 0, 1, 1]
