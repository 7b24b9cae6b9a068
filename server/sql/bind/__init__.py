"""What a parsed query means: names resolved, types known, as a tree that DuckDB can run.

``context`` is what names mean to a session, ``result`` what binding gives, ``statement`` what is
gathered on the way. ``bind_query`` is the entry; ``select``, ``from_item``, ``grouping``,
``ordering``, ``set_operation`` and ``with_query`` bind a clause each, ``query`` holds what is bound
while its types can still change. ``scope`` knows which names are visible, ``relation`` and
``object_name`` what they mean, ``output_name`` what columns are called, ``written`` where in the
text errors point. ``walker`` walks
expressions; its handlers are in ``primary``, ``operator_node``, ``quantified``, ``call``,
``window``, ``table_function``, ``time_window``, ``session_function`` and ``system_function``.
``insert``, ``update`` and ``delete`` bind writes with ``target``, ``assignment`` and
``rows_to_write``, ``default`` column defaults, ``type_name`` the types in casts.
"""
