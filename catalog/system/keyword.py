"""PostgreSQL 15's key words (appendix C), as pg_get_keywords() lists them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from catalog.system.relation import Row
from catalog.system.snapshot import Snapshot

_CATEGORIES: Final = {
    "U": "unreserved",
    "C": "unreserved (cannot be function or type name)",
    "T": "reserved (can be function or type name)",
    "R": "reserved",
}
_LABELS: Final = {"y": "can be bare label", "n": "requires AS"}


def keywords(snapshot: Snapshot) -> Iterator[Row]:  # noqa: ARG001
    """Yield the words with what each may be used for."""
    for item in _KEYWORDS.split():
        word, _, marks = item.partition(":")
        category, label = marks[0], marks[1]
        yield {
            "word": word,
            "catcode": category,
            "barelabel": label == "y",
            "catdesc": _CATEGORIES[category],
            "baredesc": _LABELS[label],
        }


#: Each with the letter of its category, and whether it may be a label without AS.
_KEYWORDS: Final = """
abort:Uy absolute:Uy access:Uy action:Uy add:Uy admin:Uy after:Uy aggregate:Uy all:Ry also:Uy
alter:Uy always:Uy analyse:Ry analyze:Ry and:Ry any:Ry array:Rn as:Rn asc:Ry asensitive:Uy
assertion:Uy assignment:Uy asymmetric:Ry at:Uy atomic:Uy attach:Uy attribute:Uy authorization:Ty
backward:Uy before:Uy begin:Uy between:Cy bigint:Cy binary:Ty bit:Cy boolean:Cy both:Ry breadth:Uy
by:Uy cache:Uy call:Uy called:Uy cascade:Uy cascaded:Uy case:Ry cast:Ry catalog:Uy chain:Uy
char:Cn character:Cn characteristics:Uy check:Ry checkpoint:Uy class:Uy close:Uy cluster:Uy
coalesce:Cy collate:Ry collation:Ty column:Ry columns:Uy comment:Uy comments:Uy commit:Uy
committed:Uy compression:Uy concurrently:Ty configuration:Uy conflict:Uy connection:Uy
constraint:Ry constraints:Uy content:Uy continue:Uy conversion:Uy copy:Uy cost:Uy create:Rn
cross:Ty csv:Uy cube:Uy current:Uy current_catalog:Ry current_date:Ry current_role:Ry
current_schema:Ty current_time:Ry current_timestamp:Ry current_user:Ry cursor:Uy cycle:Uy data:Uy
database:Uy day:Un deallocate:Uy dec:Cy decimal:Cy declare:Uy default:Ry defaults:Uy deferrable:Ry
deferred:Uy definer:Uy delete:Uy delimiter:Uy delimiters:Uy depends:Uy depth:Uy desc:Ry detach:Uy
dictionary:Uy disable:Uy discard:Uy distinct:Ry do:Ry document:Uy domain:Uy double:Uy drop:Uy
each:Uy else:Ry enable:Uy encoding:Uy encrypted:Uy end:Ry enum:Uy escape:Uy event:Uy except:Rn
exclude:Uy excluding:Uy exclusive:Uy execute:Uy exists:Cy explain:Uy expression:Uy extension:Uy
external:Uy extract:Cy false:Ry family:Uy fetch:Rn filter:Un finalize:Uy first:Uy float:Cy
following:Uy for:Rn force:Uy foreign:Ry forward:Uy freeze:Ty from:Rn full:Ty function:Uy
functions:Uy generated:Uy global:Uy grant:Rn granted:Uy greatest:Cy group:Rn grouping:Cy groups:Uy
handler:Uy having:Rn header:Uy hold:Uy hour:Un identity:Uy if:Uy ilike:Ty immediate:Uy
immutable:Uy implicit:Uy import:Uy in:Ry include:Uy including:Uy increment:Uy index:Uy indexes:Uy
inherit:Uy inherits:Uy initially:Ry inline:Uy inner:Ty inout:Cy input:Uy insensitive:Uy insert:Uy
instead:Uy int:Cy integer:Cy intersect:Rn interval:Cy into:Rn invoker:Uy is:Ty isnull:Tn
isolation:Uy join:Ty key:Uy label:Uy language:Uy large:Uy last:Uy lateral:Ry leading:Ry
leakproof:Uy least:Cy left:Ty level:Uy like:Ty limit:Rn listen:Uy load:Uy local:Uy localtime:Ry
localtimestamp:Ry location:Uy lock:Uy locked:Uy logged:Uy mapping:Uy match:Uy matched:Uy
materialized:Uy maxvalue:Uy merge:Uy method:Uy minute:Un minvalue:Uy mode:Uy month:Un move:Uy
name:Uy names:Uy national:Cy natural:Ty nchar:Cy new:Uy next:Uy nfc:Uy nfd:Uy nfkc:Uy nfkd:Uy
no:Uy none:Cy normalize:Cy normalized:Uy not:Ry nothing:Uy notify:Uy notnull:Tn nowait:Uy null:Ry
nullif:Cy nulls:Uy numeric:Cy object:Uy of:Uy off:Uy offset:Rn oids:Uy old:Uy on:Rn only:Ry
operator:Uy option:Uy options:Uy or:Ry order:Rn ordinality:Uy others:Uy out:Cy outer:Ty over:Un
overlaps:Tn overlay:Cy overriding:Uy owned:Uy owner:Uy parallel:Uy parameter:Uy parser:Uy
partial:Uy partition:Uy passing:Uy password:Uy placing:Ry plans:Uy policy:Uy position:Cy
preceding:Uy precision:Cn prepare:Uy prepared:Uy preserve:Uy primary:Ry prior:Uy privileges:Uy
procedural:Uy procedure:Uy procedures:Uy program:Uy publication:Uy quote:Uy range:Uy read:Uy
real:Cy reassign:Uy recheck:Uy recursive:Uy ref:Uy references:Ry referencing:Uy refresh:Uy
reindex:Uy relative:Uy release:Uy rename:Uy repeatable:Uy replace:Uy replica:Uy reset:Uy
restart:Uy restrict:Uy return:Uy returning:Rn returns:Uy revoke:Uy right:Ty role:Uy rollback:Uy
rollup:Uy routine:Uy routines:Uy row:Cy rows:Uy rule:Uy savepoint:Uy schema:Uy schemas:Uy
scroll:Uy search:Uy second:Un security:Uy select:Ry sequence:Uy sequences:Uy serializable:Uy
server:Uy session:Uy session_user:Ry set:Uy setof:Cy sets:Uy share:Uy show:Uy similar:Ty simple:Uy
skip:Uy smallint:Cy snapshot:Uy some:Ry sql:Uy stable:Uy standalone:Uy start:Uy statement:Uy
statistics:Uy stdin:Uy stdout:Uy storage:Uy stored:Uy strict:Uy strip:Uy subscription:Uy
substring:Cy support:Uy symmetric:Ry sysid:Uy system:Uy table:Ry tables:Uy tablesample:Ty
tablespace:Uy temp:Uy template:Uy temporary:Uy text:Uy then:Ry ties:Uy time:Cy timestamp:Cy to:Rn
trailing:Ry transaction:Uy transform:Uy treat:Cy trigger:Uy trim:Cy true:Ry truncate:Uy trusted:Uy
type:Uy types:Uy uescape:Uy unbounded:Uy uncommitted:Uy unencrypted:Uy union:Rn unique:Ry
unknown:Uy unlisten:Uy unlogged:Uy until:Uy update:Uy user:Ry using:Ry vacuum:Uy valid:Uy
validate:Uy validator:Uy value:Uy values:Cy varchar:Cy variadic:Ry varying:Un verbose:Ty
version:Uy view:Uy views:Uy volatile:Uy when:Ry where:Rn whitespace:Uy window:Rn with:Rn within:Un
without:Un work:Uy wrapper:Uy write:Uy xml:Uy xmlattributes:Cy xmlconcat:Cy xmlelement:Cy
xmlexists:Cy xmlforest:Cy xmlnamespaces:Cy xmlparse:Cy xmlpi:Cy xmlroot:Cy xmlserialize:Cy
xmltable:Cy year:Un yes:Uy zone:Uy
"""
