from catalog.types import PgType


def decode_parameter(pg_type: PgType, code: int, data: bytes) -> object:
    return data.decode()
