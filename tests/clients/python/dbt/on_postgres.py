"""dbt-postgres."""

import sys

from _build import build

build("postgres", sys.argv[1])
print("done")
