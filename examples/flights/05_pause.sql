-- A maintenance window: what is refused, what waits, and that nothing is left behind.
--
--   psql -h 127.0.0.1 -p 4566 -U root dev -f examples/flights/05_pause.sql

\set ON_ERROR_STOP off

ALTER SYSTEM PAUSE;

-- Reading goes on.
SELECT * FROM pulse;

-- A view that would have to be filled is refused, and so is a batch refresh job.
CREATE MATERIALIZED VIEW tails AS SELECT DISTINCT tailnum FROM flights;
CREATE MATERIALIZED VIEW hourly WITH (refresh.interval.sec = 60) AS SELECT flights FROM pulse;

-- Writing waits for RESUME. Here nobody resumes, so the time limit ends the wait; nothing is written.
SET statement_timeout = '1s';
INSERT INTO flights (id, carrier, origin, dest) VALUES (1000000, 'UA', 'EWR', 'IAH');
RESET statement_timeout;

ALTER SYSTEM RESUME;

\set ON_ERROR_STOP on

-- The names were free all the time: the same statements now succeed.
CREATE MATERIALIZED VIEW tails AS SELECT DISTINCT tailnum FROM flights;
CREATE MATERIALIZED VIEW hourly WITH (refresh.interval.sec = 60) AS SELECT flights FROM pulse;

SELECT (SELECT count(*) FROM tails) AS tails, (SELECT flights FROM hourly) AS flights;
