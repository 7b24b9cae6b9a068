"""Executing statements, one family a file.

``query`` reads, ``dml`` writes with ``evaluate``, ``not_null`` and ``block_writes``, ``ddl``,
``streaming``, ``drop`` and ``alter`` change the catalog, ``pause`` stops and resumes the flow,
``show`` and ``explain`` tell, ``set_parameter`` changes settings, ``transaction`` begins and ends
blocks, ``cursor`` holds results open, ``dispatch`` knows which is for which statement.
"""
