-- The proof: each view against its query run from scratch, both ways. Every line must say 0.
--
--   psql -h 127.0.0.1 -p 4566 -U root dev -f examples/flights/06_check.sql

SELECT 'pulse' AS view_name, count(*) AS wrong FROM (
  (SELECT * FROM pulse EXCEPT ALL SELECT * FROM (
    SELECT count(*) AS flights, max(leaves) AS latest,
           sum(CASE WHEN dep_delay IS NULL THEN 1 ELSE 0 END) AS cancelled
    FROM flights
  ) AS scratch)
  UNION ALL
  (SELECT * FROM (
    SELECT count(*) AS flights, max(leaves) AS latest,
           sum(CASE WHEN dep_delay IS NULL THEN 1 ELSE 0 END) AS cancelled
    FROM flights
  ) AS scratch EXCEPT ALL SELECT * FROM pulse)
) AS difference;

SELECT 'carrier_hours' AS view_name, count(*) AS wrong FROM (
  (SELECT * FROM carrier_hours EXCEPT ALL SELECT * FROM (
    SELECT f.carrier, a.name, f.hour, count(*) AS flights, sum(f.dep_delay) AS minutes,
           avg(f.dep_delay) AS mean, max(f.dep_delay) AS worst
    FROM flights f JOIN airlines a ON a.carrier = f.carrier
    WHERE f.dep_delay IS NOT NULL
    GROUP BY f.carrier, a.name, f.hour
  ) AS scratch)
  UNION ALL
  (SELECT * FROM (
    SELECT f.carrier, a.name, f.hour, count(*) AS flights, sum(f.dep_delay) AS minutes,
           avg(f.dep_delay) AS mean, max(f.dep_delay) AS worst
    FROM flights f JOIN airlines a ON a.carrier = f.carrier
    WHERE f.dep_delay IS NOT NULL
    GROUP BY f.carrier, a.name, f.hour
  ) AS scratch EXCEPT ALL SELECT * FROM carrier_hours)
) AS difference;

SELECT 'carriers' AS view_name, count(*) AS wrong FROM (
  (SELECT * FROM carriers EXCEPT ALL SELECT * FROM (
    SELECT carrier, name, sum(flights) AS flights, sum(minutes) AS minutes, max(worst) AS worst
    FROM carrier_hours
    GROUP BY carrier, name
  ) AS scratch)
  UNION ALL
  (SELECT * FROM (
    SELECT carrier, name, sum(flights) AS flights, sum(minutes) AS minutes, max(worst) AS worst
    FROM carrier_hours
    GROUP BY carrier, name
  ) AS scratch EXCEPT ALL SELECT * FROM carriers)
) AS difference;

SELECT 'routes' AS view_name, count(*) AS wrong FROM (
  (SELECT * FROM routes EXCEPT ALL SELECT * FROM (
    SELECT origin, dest, count(*) AS flights, avg(arr_delay) AS mean,
           sum(CASE WHEN arr_delay > 30 THEN 1 ELSE 0 END) AS late
    FROM flights
    WHERE arr_delay IS NOT NULL
    GROUP BY origin, dest
  ) AS scratch)
  UNION ALL
  (SELECT * FROM (
    SELECT origin, dest, count(*) AS flights, avg(arr_delay) AS mean,
           sum(CASE WHEN arr_delay > 30 THEN 1 ELSE 0 END) AS late
    FROM flights
    WHERE arr_delay IS NOT NULL
    GROUP BY origin, dest
  ) AS scratch EXCEPT ALL SELECT * FROM routes)
) AS difference;

SELECT 'worst_routes' AS view_name, count(*) AS wrong FROM (
  (SELECT * FROM worst_routes EXCEPT ALL SELECT * FROM (
    SELECT r.origin, r.dest, p.name, r.flights, r.late, r.mean
    FROM routes r JOIN airports p ON p.faa = r.dest
    WHERE r.flights >= 5 AND r.late * 5 > r.flights
  ) AS scratch)
  UNION ALL
  (SELECT * FROM (
    SELECT r.origin, r.dest, p.name, r.flights, r.late, r.mean
    FROM routes r JOIN airports p ON p.faa = r.dest
    WHERE r.flights >= 5 AND r.late * 5 > r.flights
  ) AS scratch EXCEPT ALL SELECT * FROM worst_routes)
) AS difference;

SELECT 'late_aircraft' AS view_name, count(*) AS wrong FROM (
  (SELECT * FROM late_aircraft EXCEPT ALL SELECT * FROM (
    SELECT p.tailnum, p.manufacturer, p.model, p.built, count(*) AS times,
           sum(f.arr_delay) AS minutes, max(f.arr_delay) AS worst
    FROM flights f JOIN planes p ON p.tailnum = f.tailnum
    WHERE f.arr_delay > 60
    GROUP BY p.tailnum, p.manufacturer, p.model, p.built
  ) AS scratch)
  UNION ALL
  (SELECT * FROM (
    SELECT p.tailnum, p.manufacturer, p.model, p.built, count(*) AS times,
           sum(f.arr_delay) AS minutes, max(f.arr_delay) AS worst
    FROM flights f JOIN planes p ON p.tailnum = f.tailnum
    WHERE f.arr_delay > 60
    GROUP BY p.tailnum, p.manufacturer, p.model, p.built
  ) AS scratch EXCEPT ALL SELECT * FROM late_aircraft)
) AS difference;

SELECT 'wind' AS view_name, count(*) AS wrong FROM (
  (SELECT origin, mph, flights, mean, round(temp::numeric, 6) AS temp, round(visib::numeric, 6) AS visib FROM wind EXCEPT ALL SELECT origin, mph, flights, mean, round(temp::numeric, 6) AS temp, round(visib::numeric, 6) AS visib FROM (
    SELECT w.origin, floor(w.wind_speed / 10)::int * 10 AS mph, count(*) AS flights,
           avg(f.dep_delay) AS mean, avg(w.temp) AS temp, avg(w.visib) AS visib
    FROM flights f JOIN weather w ON w.origin = f.origin AND w.hour = f.leaves
    WHERE f.dep_delay IS NOT NULL AND w.wind_speed < 100
    GROUP BY w.origin, floor(w.wind_speed / 10)::int * 10
  ) AS scratch)
  UNION ALL
  (SELECT origin, mph, flights, mean, round(temp::numeric, 6) AS temp, round(visib::numeric, 6) AS visib FROM (
    SELECT w.origin, floor(w.wind_speed / 10)::int * 10 AS mph, count(*) AS flights,
           avg(f.dep_delay) AS mean, avg(w.temp) AS temp, avg(w.visib) AS visib
    FROM flights f JOIN weather w ON w.origin = f.origin AND w.hour = f.leaves
    WHERE f.dep_delay IS NOT NULL AND w.wind_speed < 100
    GROUP BY w.origin, floor(w.wind_speed / 10)::int * 10
  ) AS scratch EXCEPT ALL SELECT origin, mph, flights, mean, round(temp::numeric, 6) AS temp, round(visib::numeric, 6) AS visib FROM wind)
) AS difference;

SELECT 'airports_traffic' AS view_name, count(*) AS wrong FROM (
  (SELECT * FROM airports_traffic EXCEPT ALL SELECT * FROM (
    SELECT airport, sum(departures) AS departures, sum(arrivals) AS arrivals
    FROM (
      SELECT origin AS airport, 1 AS departures, 0 AS arrivals FROM flights
      UNION ALL
      SELECT dest, 0, 1 FROM flights
    ) AS movements
    GROUP BY airport
  ) AS scratch)
  UNION ALL
  (SELECT * FROM (
    SELECT airport, sum(departures) AS departures, sum(arrivals) AS arrivals
    FROM (
      SELECT origin AS airport, 1 AS departures, 0 AS arrivals FROM flights
      UNION ALL
      SELECT dest, 0, 1 FROM flights
    ) AS movements
    GROUP BY airport
  ) AS scratch EXCEPT ALL SELECT * FROM airports_traffic)
) AS difference;
