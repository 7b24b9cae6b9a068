"""SQL as clients write it: from a string to statements, and from names to what they mean.

``source`` cuts a string into statements and knows positions, ``lexing`` gives the tokens of one
statement by PostgreSQL's rules, ``cursor`` walks over them. ``parse`` tells the statements apart;
``parse_create``, ``parse_alter``, ``parse_dml``, ``parse_session``, ``parse_show`` and
``parse_cursor`` each know one family of them, ``parse_query`` the queries and expressions inside,
which sqlglot parses, ``strict`` refuses what it takes too generously and folds names.
``sqlglot_errors`` is where its errors become ours, ``statement`` is what comes out.
"""
