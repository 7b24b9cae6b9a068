"""How a view is maintained: from a bound query to operators, from changes to DuckDB statements.

``build`` turns a query into a tree of ``operators`` (one shape of query a file, over the contract
in ``operator``), ``plan`` owns the tree of one view and its stored tables, ``program`` collects the
statements of one epoch, ``strategy`` chooses between a delta and computing anew, ``explain`` shows
a plan. ``zset`` holds the algebra of deltas, ``accumulator`` that of aggregates, ``exact`` what
DuckDB's equality does not tell apart, ``functions`` what must be known of functions, ``trees``
the few forms of SQL that are built here.

Everything is pure: trees in, trees out.
"""
