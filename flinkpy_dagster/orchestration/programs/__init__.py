"""DataStream programs as Dagster definitions: ops, assets, names, config."""
