-- The first view, in a minute.
--
--   psql -h 127.0.0.1 -p 4566 -U root dev -f examples/quickstart.sql

CREATE TABLE sale (id int PRIMARY KEY, city text, euros int);

-- From here on `takings` is always equal to its query.
CREATE MATERIALIZED VIEW takings AS
SELECT city, count(*) AS sales, sum(euros) AS euros FROM sale GROUP BY city;

INSERT INTO sale VALUES (1, 'Aarhus', 5), (2, 'Brest', 7), (3, 'Aarhus', 6);
SELECT * FROM takings ORDER BY city;

UPDATE sale SET euros = 60 WHERE id = 3;
DELETE FROM sale WHERE city = 'Brest';
SELECT * FROM takings ORDER BY city;

-- A view on the view.
CREATE MATERIALIZED VIEW best AS SELECT city FROM takings WHERE euros > 50;
SELECT * FROM best;

-- How it is kept: by deltas, operator by operator.
EXPLAIN CREATE MATERIALIZED VIEW again AS
SELECT city, sum(euros) AS euros FROM sale GROUP BY city;

DROP TABLE sale CASCADE;
