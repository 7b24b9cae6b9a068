-- The tables of flights that left New York in 2013: run the files of this folder in order.
--
--   psql -h 127.0.0.1 -p 4566 -U root dev -f examples/flights/01_schema.sql

CREATE TABLE airlines (
  carrier text,
  name text,
  PRIMARY KEY (carrier)
);

CREATE TABLE airports (
  faa text,
  name text,
  lat float8,
  lon float8,
  PRIMARY KEY (faa)
);

CREATE TABLE planes (
  tailnum text,
  built int,
  manufacturer text,
  model text,
  seats int,
  PRIMARY KEY (tailnum)
);

CREATE TABLE weather (
  origin text,
  hour timestamptz,
  temp float8,
  wind_speed float8,
  precip float8,
  visib float8,
  PRIMARY KEY (origin, hour)
);

CREATE TABLE flights (
  id int,
  leaves timestamptz,
  month int,
  day int,
  hour int,
  carrier text,
  flight int,
  tailnum text,
  origin text,
  dest text,
  dep_delay int,
  arr_delay int,
  distance int,
  PRIMARY KEY (id)
);
