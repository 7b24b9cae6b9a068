"""The system catalogs as a session sees them: rows for the engine, and what functions tell.

``view`` holds the rows of a snapshot for all who look at the same one, ``given`` lays them out for
the engine, ``object_name`` turns names into OIDs and back, ``description`` has the functions that
say what objects are.
"""
