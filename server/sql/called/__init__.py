"""What DuckDB calls back: scalar functions in Python, a family a file with a list ``CALLED``.

python_function   how one is described
number            trigonometry in degrees, the gamma function, hashes and checksums
bytes_value       bits and bytes of a bytea
text              Unicode, identifiers
regular           regular expressions
"""
