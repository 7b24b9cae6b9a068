"""What ``|x| x + 1`` is between the parser and the binder, and which functions take it."""

from typing import Final

#: The name of the call, which no user can write; its last argument is the body.
LAMBDA_CALL: Final = "lambda{}"

LAMBDA_FUNCTIONS: Final = frozenset({"array_transform", "map_filter"})
