"""What exists: databases, schemas, relations, columns, types and errors as pure values.

``sqlstate`` and ``errors`` hold PostgreSQL's error vocabulary, ``oid`` and ``types`` its type
system, ``relation`` and ``state`` the immutable description of a database and its changes,
``resolve`` and ``dependency`` names and who reads whom, ``system`` the system catalogs.
"""
