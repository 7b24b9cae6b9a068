"""The grammar of statements, one family a module.

``lexing`` gives the tokens of a statement, ``shape`` refuses token sequences that PostgreSQL does
not take, ``cursor`` walks over them. ``query`` hands queries and expressions to sqlglot and
``strict`` looks over its trees, for chains of operators with ``precedence``. ``typed_constant`` and
``prefix_operator`` rewrite tokens that sqlglot reads otherwise; ``constant_rows`` finds long VALUES
before there are tokens. ``create``, ``alter``, ``dml``, ``session``, ``show`` and
``cursors`` know the statements.
"""
