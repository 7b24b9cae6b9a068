"""dbt-postgres."""

import sys

from build import build

build("postgres", sys.argv[1])
print("done")
