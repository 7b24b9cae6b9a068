"""SET of an element of an array, a member of jsonb or a field of a row, beside a real PostgreSQL."""

from __future__ import annotations

from tests.support.judged import assert_equal
from tests.support.server import Address

SCRIPT = """
CREATE TYPE pty AS (x int, y text, z int[]);
CREATE TABLE pt(id int primary key, a int[], t text[], j jsonb, c pty, m int[][]);
INSERT INTO pt VALUES (1,'{1,2,3}','{a,b}','{"k":1}','(1,one,"{7,8}")','{{1,2},{3,4}}'),(2,NULL,NULL,NULL,NULL,NULL),(3,'{}','{}','[]',row(NULL,NULL,NULL),'{}');
UPDATE pt SET a[2]=20, t[1]='x' WHERE id=1;
SELECT a,t FROM pt WHERE id=1;
UPDATE pt SET a[5]=50 WHERE id=1;
SELECT a FROM pt WHERE id=1;
UPDATE pt SET a[1]=9 WHERE id IN (2,3);
SELECT id,a FROM pt ORDER BY id;
UPDATE pt SET a[1]=1, a[2]=2, a[3]=a[1]+100 WHERE id=1;
SELECT a FROM pt WHERE id=1;
UPDATE pt SET a[2:3]='{77,88}' WHERE id=1;
SELECT a FROM pt WHERE id=1;
UPDATE pt SET a[2:3]=array[5,6,7] WHERE id=1;
SELECT a FROM pt WHERE id=1;
UPDATE pt SET a[:2]=array[0,0] WHERE id=1;
SELECT a FROM pt WHERE id=1;
UPDATE pt SET a[4:]=array[4,5] WHERE id=1;
SELECT a FROM pt WHERE id=1;
UPDATE pt SET a[2:3]=NULL WHERE id=1;
SELECT a FROM pt WHERE id=1;
UPDATE pt SET a[2:3]=array[1] WHERE id=1;
UPDATE pt SET a[3:1]=array[1] WHERE id=1;
UPDATE pt SET a[NULL]=1 WHERE id=1;
UPDATE pt SET a[1]='zz' WHERE id=1;
UPDATE pt SET a[1]=true WHERE id=1;
UPDATE pt SET a[true]=1 WHERE id=1;
UPDATE pt SET a['1']=11 WHERE id=1;
SELECT a FROM pt WHERE id=1;
UPDATE pt SET a[1]=DEFAULT WHERE id=1;
UPDATE pt SET c.x=5, c.y='five' WHERE id IN (1,2);
SELECT id,c FROM pt ORDER BY id;
UPDATE pt SET c.z[1]=3 WHERE id=1;
SELECT c FROM pt WHERE id=1;
UPDATE pt SET c.q=3 WHERE id=1;
UPDATE pt SET id.q=3 WHERE id=1;
UPDATE pt SET id[1]=3 WHERE id=1;
UPDATE pt SET c.x='abc' WHERE id=1;
UPDATE pt SET c.x=true WHERE id=1;
UPDATE pt SET c.x=DEFAULT WHERE id=1;
UPDATE pt SET m[1][2]=22 WHERE id=1;
SELECT m FROM pt WHERE id=1;
UPDATE pt SET j['k']='2', j['n']['deep'][2]='{"z":1}' WHERE id=1;
SELECT j FROM pt WHERE id=1;
UPDATE pt SET j['a']='"s"' WHERE id=2;
SELECT j FROM pt WHERE id=2;
UPDATE pt SET j[0]='1' WHERE id=3;
SELECT j FROM pt WHERE id=3;
UPDATE pt SET j[-1]='"neg"' WHERE id=3;
SELECT j FROM pt WHERE id=3;
UPDATE pt SET j[-5]='1' WHERE id=3;
UPDATE pt SET j['x']='1' WHERE id=3;
UPDATE pt SET j['a']['b']='1' WHERE id=2;
UPDATE pt SET j[NULL]='1' WHERE id=2;
UPDATE pt SET j['a']=NULL WHERE id=2;
SELECT j FROM pt WHERE id=2;
UPDATE pt SET j['a':'b']='1' WHERE id=2;
UPDATE pt SET j=NULL WHERE id=2;
UPDATE pt SET j[2]='5' WHERE id=2;
SELECT j FROM pt WHERE id=2;
UPDATE pt SET j['a'] = to_jsonb(id) WHERE false;
UPDATE pt SET a[1]=1, a='{2}' WHERE id=1;
UPDATE pt SET a='{2}', a[1]=1 WHERE id=1;
UPDATE pt SET c.x=c2.x+1 FROM (SELECT 41 AS x) c2 WHERE id=1 RETURNING c;
INSERT INTO pt(id,a) VALUES (1,'{5}') ON CONFLICT (id) DO UPDATE SET a[2]=excluded.a[1];
SELECT a FROM pt WHERE id=1;
MERGE INTO pt USING (VALUES (1,99)) v(i,n) ON pt.id=v.i WHEN MATCHED THEN UPDATE SET a[1]=v.n;
SELECT a FROM pt WHERE id=1;
PREPARE p AS UPDATE pt SET a[$1]=$2 WHERE id=$3;
EXECUTE p(2,1234,1);
SELECT a FROM pt WHERE id=1;
UPDATE pt SET j['s'] = '"x"', t[3]='c' WHERE id=1 RETURNING j->>'s', t;
"""


def test_parts_are_replaced_and_refused_as_in_postgresql(judge: Address, database: Address) -> None:
    assert_equal(judge, database, SCRIPT)
