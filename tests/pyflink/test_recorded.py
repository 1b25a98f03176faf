"""The programs under our operators in this process give what PyFlink gave when ``record.py`` asked it."""

import pytest

from flinkpy_dagster.programs import pyflink_alias
from tests.pyflink import comparing

RECORDED = comparing.recorded()


@pytest.fixture(autouse=True)
def alias() -> None:
    pyflink_alias.install()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")
@pytest.mark.parametrize("title", list(comparing.pipelines()))
def test_pipeline_gives_what_pyflink_gave(title: str) -> None:
    comparing.check(title, RECORDED[title])
