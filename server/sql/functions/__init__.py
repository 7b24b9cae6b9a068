"""PostgreSQL's functions over typed expressions.

registry      finds a function by name and arguments: scalar, aggregate, window, table function
text          strings and bytes
regular       regular expressions
number        mathematics
moment        dates, times and intervals
conditional   coalesce, nullif, greatest, least
json          json and jsonb
array         arrays
aggregate     aggregates
window        window functions
rows          functions that give rows
"""
