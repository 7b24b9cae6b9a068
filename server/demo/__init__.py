"""The guided tour: real flights, live views, a pause, and every view checked against its query.

``tour`` is the script, ``child`` the server it runs against, ``data`` and ``views`` what is loaded
and asked, ``stream``, ``pause`` and ``check`` its acts, ``screen`` what a person sees of them. All
of it reaches the server as any client does: through psycopg.
"""
