"""When: epochs, barriers, streaming jobs.

``state`` decides (pure), ``worker`` performs, ``store`` is what is asked of storage and
``duckdb_store`` the one module that writes with DuckDB; ``stream`` holds how a view is maintained.
"""
