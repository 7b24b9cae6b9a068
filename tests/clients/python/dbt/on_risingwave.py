"""dbt-risingwave."""

import sys

from _build import build

build("risingwave", sys.argv[1])
print("done")
