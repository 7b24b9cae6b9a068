"""The system catalogs: pg_catalog, information_schema and rw_catalog as relations over values.

``relation`` says what a system relation is, ``snapshot`` what its rows are made from, ``registry``
knows all of them. ``rw_*`` hold rw_catalog, ``pg_*`` pg_catalog, ``information_schema`` the
standard's. The schemas follow PostgreSQL 15, chapters 37 and 53, and the peer.
"""
