"""SQL as clients write it: from a string to statements, and from names to what they mean.

``source`` cuts a string into statements and knows positions, ``parse`` makes ``statement`` values
of them with the grammar in ``parser``; ``sqlglot_errors`` is where sqlglot's errors become ours and
``query_tree`` keeps its parser from losing what was written. ``bind`` gives names, operators and
calls a meaning and types, with ``functions`` for the calls; ``casts``, ``coercion``, ``overload``,
``choice`` and ``operators`` are PostgreSQL's rules for types, the ``*_text`` modules how values are
written.
"""
