"""The wire protocol, without sockets: bytes to values and back.

``messages`` are the values, ``codec`` and ``startup`` their bytes (``body`` reads them),
``state`` what a connection remembers between messages, ``session_contract`` what it needs of a
session. ``values`` decodes parameters and encodes single values, one type family a file;
``rows`` lets DuckDB build whole DataRow messages.
"""
