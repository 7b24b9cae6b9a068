"""What ``map {key: value, ...}`` is between the parser and the binder."""

from typing import Final

#: The name of the call, which no user can write.
MAP_CALL: Final = "map{}"
