"""From which columns each column of an asset is made: derived, declared, or not said."""

from dagster import AssetKey

from flinkpy_dagster import definitions_from
from flinkpy_dagster.api import ParquetSink, ProcessFunction, Row, Types

ORDER = Types.ROW_NAMED(
    ["id", "item", "price", "amount"], [Types.INT(), Types.STRING(), Types.INT(), Types.INT()]
)
LINE = Types.ROW_NAMED(["item", "total"], [Types.STRING(), Types.INT()])


class Opaque(ProcessFunction):
    def process_element(self, value, ctx):
        yield value


def moved(env):
    orders = env.from_csv("orders", row_type=ORDER, source_name="orders")
    others = env.from_csv("others", row_type=ORDER, source_name="others")
    lines = (
        orders.union(others)
        .filter(lambda order: order.amount > 0)
        .map(lambda order: Row(order.item, order.price * order.amount), LINE)
    )
    totals = lines.key_by(lambda line: line[0]).reduce(lambda one, other: Row(one[0], one[1] + other[1]))
    totals.sink_to(ParquetSink("totals")).name("totals")


def not_followed(env):
    orders = env.from_csv("orders", row_type=ORDER, source_name="orders").process(Opaque(), ORDER)
    declared = {"item": ["orders.item"], "total": ["orders.price", "orders.amount"]}
    as_lines = orders.map(lambda order: Row(order.item, order.price), LINE)
    as_lines.sink_to(ParquetSink("declared", column_lineage=declared)).name("declared")
    orders.sink_to(ParquetSink("unknown")).name("unknown")


def lineage(program):
    graph = definitions_from(program).resolve_asset_graph()
    found = {}
    for key in graph.get_all_asset_keys():
        value = graph.get(key).metadata.get("dagster/column_lineage")
        if value is not None:
            found[key.path[-1]] = {
                column: sorted((each.asset_key.path[-1], each.column_name) for each in origins)
                for column, origins in value.value.deps_by_column.items()
            }
    return found


def test_lineage_when_operators_only_move_and_compute_fields_then_derived_asset_by_asset() -> None:
    found = lineage(moved)
    totals = found.pop("totals")
    assert {column: [name for _, name in origins] for column, origins in totals.items()} == {
        "item": ["item"] * len(totals["item"]),
        "total": ["total"] * len(totals["total"]),
    }
    first_hop = {name: columns for name, columns in found.items() if "total" in columns}
    assert first_hop
    for columns in first_hop.values():
        assert {name for _, name in columns["item"]} == {"item"}
        assert {name for _, name in columns["total"]} == {"price", "amount"}


def test_lineage_when_a_function_is_opaque_then_only_what_is_declared() -> None:
    assert lineage(not_followed) == {
        "declared": {"item": [("orders", "item")], "total": [("orders", "amount"), ("orders", "price")]}
    }


def test_lineage_when_declared_then_it_names_assets_that_exist() -> None:
    graph = definitions_from(not_followed).resolve_asset_graph()
    assert AssetKey(["not_followed", "sources", "orders"]) in graph.get_all_asset_keys()
