"""Where a job stores its data sets, as ``flinkpy.data-sets.dir`` says it."""

import pytest

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.orchestration.job.spark_side import data_folder


@pytest.mark.parametrize(
    ("said", "folder"),
    [
        ("/data", "/data/sums/id"),
        ("data/sets/", "{here}/data/sets/sums/id"),
        ("file:///data/with%20blanks", "/data/with blanks/sums/id"),
        ("hdfs://names:8020/data/", "hdfs://names:8020/data/sums/id"),
        ("s3a://bucket", "s3a://bucket/sums/id"),
        ("abfss://of@any.kind/that/spark/knows", "abfss://of@any.kind/that/spark/knows/sums/id"),
    ],
)
def test_folder_when_it_is_of_another_file_system_then_it_stays_there(said, folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    options = Configuration.from_dict({"flinkpy.data-sets.dir": said})
    assert data_folder(options, "sums", "id") == folder.format(here=tmp_path)
