"""Values as texts that people write: PostgreSQL's input functions, pure and each there is once.

Constants, parameters, COPY and casts from text all read by these (``moment`` for dates and times,
``interval``, ``json_text``, ``array_text``); ``style`` tells what a session has set about them.
"""
