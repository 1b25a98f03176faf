"""URLs and statements of JDBC for Python's drivers."""

import pytest

from flinkpy_dagster.errors import InvalidProgram, UnsupportedFeature
from flinkpy_dagster.operators.jdbc import JdbcAddress, address_of, statement_parts


@pytest.mark.parametrize(
    ("url", "place", "settings"),
    [
        ("jdbc:postgresql://db:5433/shop", "postgresql://db:5433/shop", {}),
        ("jdbc:postgresql://a:1,b:2/shop", "postgresql://a:1,b:2/shop", {}),
        ("jdbc:postgresql:shop", "postgresql:///shop", {}),
        (
            "jdbc:postgresql://db/shop?user=me&currentSchema=s&reWriteBatchedInserts=true&targetServerType=primary",
            "postgresql://db/shop",
            {"user": "me", "options": "-csearch_path=s", "target_session_attrs": "primary"},
        ),
    ],
)
def test_url_of_postgresql_is_what_libpq_understands(url: str, place: str, settings: dict[str, str]) -> None:
    assert address_of(url) == JdbcAddress("postgresql", place, settings)


def test_url_when_the_database_is_not_known_then_it_says_what_to_use() -> None:
    with pytest.raises(UnsupportedFeature, match=r"JdbcSink for 'mysql'.*dataframe\.write\.jdbc"):
        address_of("jdbc:mysql://db/shop")
    with pytest.raises(InvalidProgram, match=r"jdbc:postgresql://host:5432/database, not 'postgresql://db'"):
        address_of("postgresql://db")
    with pytest.raises(InvalidProgram, match=r"has 'colour'; known are ApplicationName, "):
        address_of("jdbc:postgresql://db/shop?colour=red")


@pytest.mark.parametrize(
    ("statement", "parts"),
    [
        ("INSERT INTO t VALUES (?, ?)", ["INSERT INTO t VALUES (", ", ", ")"]),
        ("UPDATE t SET a = '?', \"b?\" = ?", ["UPDATE t SET a = '?', \"b?\" = ", ""]),
        ("SELECT 'it''s ?' WHERE a ?? ?", ["SELECT 'it''s ?' WHERE a ? ", ""]),
        ("SELECT $a$ ? $a$, ? -- ?\n/* ? */", ["SELECT $a$ ? $a$, ", " -- ?\n/* ? */"]),
    ],
)
def test_marks_in_texts_and_comments_stand_for_nothing(statement: str, parts: list[str]) -> None:
    assert statement_parts(statement) == parts
