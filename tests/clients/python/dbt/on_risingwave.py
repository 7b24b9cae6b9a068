"""dbt-risingwave."""

import sys

from build import build

build("risingwave", sys.argv[1])
print("done")
