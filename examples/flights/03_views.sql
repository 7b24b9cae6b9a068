-- Eight views; each stays equal to its query from now on, whatever is written to the tables.
--
--   psql -h 127.0.0.1 -p 4566 -U root dev -f examples/flights/03_views.sql

CREATE MATERIALIZED VIEW pulse AS
SELECT count(*) AS flights, max(leaves) AS latest,
       sum(CASE WHEN dep_delay IS NULL THEN 1 ELSE 0 END) AS cancelled
FROM flights;

CREATE MATERIALIZED VIEW carrier_hours AS
SELECT f.carrier, a.name, f.hour, count(*) AS flights, sum(f.dep_delay) AS minutes,
       avg(f.dep_delay) AS mean, max(f.dep_delay) AS worst
FROM flights f JOIN airlines a ON a.carrier = f.carrier
WHERE f.dep_delay IS NOT NULL
GROUP BY f.carrier, a.name, f.hour;

CREATE MATERIALIZED VIEW carriers AS
SELECT carrier, name, sum(flights) AS flights, sum(minutes) AS minutes, max(worst) AS worst
FROM carrier_hours
GROUP BY carrier, name;

CREATE MATERIALIZED VIEW routes AS
SELECT origin, dest, count(*) AS flights, avg(arr_delay) AS mean,
       sum(CASE WHEN arr_delay > 30 THEN 1 ELSE 0 END) AS late
FROM flights
WHERE arr_delay IS NOT NULL
GROUP BY origin, dest;

CREATE MATERIALIZED VIEW worst_routes AS
SELECT r.origin, r.dest, p.name, r.flights, r.late, r.mean
FROM routes r JOIN airports p ON p.faa = r.dest
WHERE r.flights >= 5 AND r.late * 5 > r.flights;

CREATE MATERIALIZED VIEW late_aircraft AS
SELECT p.tailnum, p.manufacturer, p.model, p.built, count(*) AS times,
       sum(f.arr_delay) AS minutes, max(f.arr_delay) AS worst
FROM flights f JOIN planes p ON p.tailnum = f.tailnum
WHERE f.arr_delay > 60
GROUP BY p.tailnum, p.manufacturer, p.model, p.built;

CREATE MATERIALIZED VIEW wind AS
SELECT w.origin, floor(w.wind_speed / 10)::int * 10 AS mph, count(*) AS flights,
       avg(f.dep_delay) AS mean, avg(w.temp) AS temp, avg(w.visib) AS visib
FROM flights f JOIN weather w ON w.origin = f.origin AND w.hour = f.leaves
WHERE f.dep_delay IS NOT NULL AND w.wind_speed < 100
GROUP BY w.origin, floor(w.wind_speed / 10)::int * 10;

CREATE MATERIALIZED VIEW airports_traffic AS
SELECT airport, sum(departures) AS departures, sum(arrivals) AS arrivals
FROM (
  SELECT origin AS airport, 1 AS departures, 0 AS arrivals FROM flights
  UNION ALL
  SELECT dest, 0, 1 FROM flights
) AS movements
GROUP BY airport;

SELECT * FROM pulse;

SELECT name, flights, minutes, worst FROM carriers ORDER BY minutes DESC LIMIT 5;

SELECT * FROM worst_routes ORDER BY mean DESC LIMIT 5;
