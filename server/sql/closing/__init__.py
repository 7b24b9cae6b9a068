"""EMIT ON WINDOW CLOSE: which part of a bound query's result can no longer change.

``derived`` finds the columns of a query that have a watermark, from those of the tables that it
reads; ``monotone`` knows through which expressions one passes. ``emitted`` restricts a query to
what the watermarks have closed, ``frames`` a query with window functions. All work on bound trees
(``server.sql.bind``), and what they return is one: it says in SQL what a view shows, so that it
can be run from scratch. ``barrier.stream.operators.closing`` maintains what is built here.
"""
