"""jsonpath, the language of paths into JSON (PostgreSQL 15, chapter 9.16.2).

text  --parser-->  path (what it is made of, and its text)  --evaluation-->  items
"""
