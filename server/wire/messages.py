"""The messages of protocol 3.0 as frozen values (PostgreSQL 15, chapter 55.7).

F: sent by the frontend (client); B: sent by the backend (server). Field names are the
specification's where it gives one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

from catalog.errors import Place
from catalog.oid import Oid

TEXT_FORMAT: Final = 0
BINARY_FORMAT: Final = 1


# What comes before a session: packets without a type byte.


@dataclass(frozen=True, slots=True)
class SslRequest:
    """F: may this connection be encrypted by TLS?"""


@dataclass(frozen=True, slots=True)
class GssEncRequest:
    """F: may this connection be encrypted by GSSAPI?"""


@dataclass(frozen=True, slots=True)
class CancelRequest:
    """F: stop what the session of that key is doing; nothing is answered."""

    process_id: int
    secret_key: int


@dataclass(frozen=True, slots=True)
class Startup:
    """F: open a session."""

    minor_version: int  #: Of protocol 3; the server speaks 3.0.
    parameters: tuple[tuple[str, str], ...]
    unknown_options: tuple[str, ...] = ()  #: Names starting with ``_pq_.``.


StartupPacket: TypeAlias = SslRequest | GssEncRequest | CancelRequest | Startup


# What a client sends in a session.


@dataclass(frozen=True, slots=True)
class Query:
    """F 'Q': run the statements of a string."""

    text: str


@dataclass(frozen=True, slots=True)
class Parse:
    """F 'P': create a prepared statement."""

    statement: str  #: "" names the unnamed prepared statement.
    query: str
    parameter_oids: tuple[Oid, ...] = ()  #: 0 leaves a type unspecified; may be shorter than $n.


@dataclass(frozen=True, slots=True)
class Bind:
    """F 'B': create a portal from a prepared statement and parameters."""

    portal: str  #: "" names the unnamed portal.
    statement: str
    parameter_formats: tuple[int, ...] = ()  #: None: all text; one: for all; else one each.
    parameters: tuple[bytes | None, ...] = ()
    result_formats: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class DescribeStatement:
    """F 'D' 'S': what parameters and columns does a prepared statement have?"""

    statement: str


@dataclass(frozen=True, slots=True)
class DescribePortal:
    """F 'D' 'P': what columns does a portal have?"""

    portal: str


@dataclass(frozen=True, slots=True)
class Execute:
    """F 'E': run a portal."""

    portal: str
    rows_max: int = 0  #: 0 is no limit.


@dataclass(frozen=True, slots=True)
class CloseStatement:
    """F 'C' 'S': forget a prepared statement."""

    statement: str


@dataclass(frozen=True, slots=True)
class ClosePortal:
    """F 'C' 'P': forget a portal."""

    portal: str


@dataclass(frozen=True, slots=True)
class Flush:
    """F 'H': send what is pending."""


@dataclass(frozen=True, slots=True)
class Sync:
    """F 'S': end the implicit transaction and the skipping after an error."""


@dataclass(frozen=True, slots=True)
class Terminate:
    """F 'X': goodbye."""


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """F 'F': call a function by OID."""

    function_oid: Oid
    argument_formats: tuple[int, ...]
    arguments: tuple[bytes | None, ...]
    result_format: int


@dataclass(frozen=True, slots=True)
class CopyData:
    """F and B 'd': a piece of a COPY's data."""

    data: bytes


@dataclass(frozen=True, slots=True)
class CopyDone:
    """F and B 'c': the COPY's data are complete."""


@dataclass(frozen=True, slots=True)
class CopyFail:
    """F 'f': the client gives up its COPY."""

    reason: str


FrontendMessage: TypeAlias = (
    Query
    | Parse
    | Bind
    | DescribeStatement
    | DescribePortal
    | Execute
    | CloseStatement
    | ClosePortal
    | Flush
    | Sync
    | Terminate
    | FunctionCall
    | CopyData
    | CopyDone
    | CopyFail
)


# What the server sends. DataRow is missing on purpose: rows are built by ``rows`` in bulk.


@dataclass(frozen=True, slots=True)
class AuthenticationOk:
    """B 'R' 0: the client may come in."""


@dataclass(frozen=True, slots=True)
class AuthenticationCleartextPassword:
    """B 'R' 3: the password is wanted as it is."""


@dataclass(frozen=True, slots=True)
class AuthenticationSasl:
    """B 'R' 10: one of these mechanisms is wanted."""

    mechanisms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AuthenticationSaslContinue:
    """B 'R' 11: the dialogue goes on."""

    data: bytes


@dataclass(frozen=True, slots=True)
class AuthenticationSaslFinal:
    """B 'R' 12: the dialogue's last word."""

    data: bytes


@dataclass(frozen=True, slots=True)
class NegotiateProtocolVersion:
    """B 'v': the newest minor version there is, and options that are not understood."""

    version: int  #: Major and minor, as in a startup packet.
    unknown_options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ParameterStatus:
    """B 'S': the value of a parameter that clients care about."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class NotificationResponse:
    """B 'A': somebody has notified a channel that the client listens to."""

    process_id: int
    channel: str
    payload: str


@dataclass(frozen=True, slots=True)
class FunctionCallResponse:
    """B 'V': the image of what a function has returned; None is NULL."""

    value: bytes | None


@dataclass(frozen=True, slots=True)
class BackendKeyData:
    """B 'K': what a CancelRequest must name."""

    process_id: int
    secret_key: int


@dataclass(frozen=True, slots=True)
class ReadyForQuery:
    """B 'Z': the next query may come."""

    transaction_status: bytes  #: I, T or E.


@dataclass(frozen=True, slots=True)
class FieldDescription:
    """One column of a RowDescription."""

    name: str
    relation_oid: Oid  #: 0 unless the column is a table's.
    number: int  #: attnum, 0 unless the column is a table's.
    type_oid: Oid
    type_size: int
    type_modifier: int
    format: int


@dataclass(frozen=True, slots=True)
class RowDescription:
    """B 'T': the columns of the rows to come."""

    fields: tuple[FieldDescription, ...]


@dataclass(frozen=True, slots=True)
class ParameterDescription:
    """B 't': the types of a prepared statement's parameters."""

    type_oids: tuple[Oid, ...]


@dataclass(frozen=True, slots=True)
class ParseComplete:
    """B '1'."""


@dataclass(frozen=True, slots=True)
class BindComplete:
    """B '2'."""


@dataclass(frozen=True, slots=True)
class CloseComplete:
    """B '3'."""


@dataclass(frozen=True, slots=True)
class NoData:
    """B 'n': a statement that gives no rows."""


@dataclass(frozen=True, slots=True)
class PortalSuspended:
    """B 's': the row limit of Execute was reached."""


@dataclass(frozen=True, slots=True)
class CopyInResponse:
    """B 'G': the data of COPY FROM may come."""

    formats: tuple[int, ...]  #: One for each column, all the same.


@dataclass(frozen=True, slots=True)
class CopyOutResponse:
    """B 'H': the data of COPY TO follow."""

    formats: tuple[int, ...]  #: One for each column, all the same.


@dataclass(frozen=True, slots=True)
class EmptyQueryResponse:
    """B 'I': stands for CommandComplete when there was no statement."""


@dataclass(frozen=True, slots=True)
class CommandComplete:
    """B 'C': a statement is done."""

    tag: str


@dataclass(frozen=True, slots=True)
class ErrorResponse:
    """B 'E': a statement, or with FATAL the session, ended badly."""

    severity: str
    sqlstate: str
    message: str
    detail: str | None = None
    hint: str | None = None
    position: int | None = None  #: In characters from 1.
    context: str | None = None
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class NoticeResponse:
    """B 'N': said beside the result."""

    severity: str
    sqlstate: str
    message: str
    detail: str | None = None
    hint: str | None = None


BackendMessage: TypeAlias = (
    AuthenticationOk
    | AuthenticationCleartextPassword
    | AuthenticationSasl
    | AuthenticationSaslContinue
    | AuthenticationSaslFinal
    | NegotiateProtocolVersion
    | ParameterStatus
    | NotificationResponse
    | BackendKeyData
    | ReadyForQuery
    | RowDescription
    | ParameterDescription
    | ParseComplete
    | BindComplete
    | CloseComplete
    | NoData
    | PortalSuspended
    | CopyInResponse
    | CopyOutResponse
    | CopyData
    | CopyDone
    | EmptyQueryResponse
    | CommandComplete
    | ErrorResponse
    | NoticeResponse
    | FunctionCallResponse
)
