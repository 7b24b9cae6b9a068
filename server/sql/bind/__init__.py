"""What a parsed query means: names resolved, types known, as a tree that DuckDB can run.

``context`` is what names mean to a session, ``result`` what binding gives. ``query`` walks
queries: ``select``, ``set_operation``, ``values``, ``cte`` and ``from_item`` a clause each,
``grouping`` and ``ordering`` their rules. ``scope`` knows which names are visible, ``expression``
walks expressions with ``call``, ``window``, ``subquery`` and ``type_name``. ``insert``, ``update``
and ``delete`` bind writes, ``default`` column defaults.
"""
