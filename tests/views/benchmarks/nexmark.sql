-- The questions of Nexmark (Tucker, Tufte, Papadimos, Maier: NEXMark, a benchmark for queries over data streams), as far as
-- they are about the stream and not about the wall clock (q11 to q13 are about sessions, processing time and files).

-- q0
SELECT auction, bidder, price, date_time FROM bid;

-- q1
SELECT auction, bidder, 0.908 * price AS price, date_time FROM bid;

-- q2
SELECT auction, price FROM bid WHERE auction % 7 = 1 OR auction IN (3, 5);

-- q3
SELECT p.name, p.city, p.state, a.id FROM auction AS a JOIN person AS p ON a.seller = p.id
WHERE a.category = 2 AND p.state IN ('OR', 'ID', 'CA');

-- q4
SELECT q.category, avg(q.final) AS average
FROM (SELECT max(b.price) AS final, a.category FROM auction AS a JOIN bid AS b
      ON a.id = b.auction AND b.date_time BETWEEN a.date_time AND a.expires GROUP BY a.id, a.category) AS q
GROUP BY q.category;

-- q5
SELECT ab.auction, ab.num FROM
  (SELECT auction, count(*) AS num, window_start FROM HOP(bid, date_time, INTERVAL '2' SECOND, INTERVAL '10' SECOND)
   GROUP BY auction, window_start) AS ab
JOIN (SELECT max(num) AS maxn, window_start FROM
        (SELECT count(*) AS num, window_start FROM HOP(bid, date_time, INTERVAL '2' SECOND, INTERVAL '10' SECOND)
         GROUP BY auction, window_start) AS counts GROUP BY window_start) AS mb
ON ab.window_start = mb.window_start AND ab.num >= mb.maxn;

-- q6
SELECT seller, avg(final) OVER (PARTITION BY seller ORDER BY date_time, id ROWS BETWEEN 3 PRECEDING AND CURRENT ROW) AS average
FROM (SELECT a.id, a.seller, b.price AS final, b.date_time,
             row_number() OVER (PARTITION BY a.id ORDER BY b.price DESC, b.date_time, b.n) AS place
      FROM auction AS a JOIN bid AS b ON a.id = b.auction) AS q
WHERE place = 1;

-- q7
SELECT b.auction, b.price, b.bidder FROM bid AS b
JOIN (SELECT max(price) AS top, window_end FROM TUMBLE(bid, date_time, INTERVAL '10' SECOND) GROUP BY window_end) AS m
ON b.price = m.top AND b.date_time >= m.window_end - INTERVAL '10' SECOND AND b.date_time < m.window_end;

-- q8
SELECT p.id, p.name, p.starttime
FROM (SELECT id, name, window_start AS starttime FROM TUMBLE(person, date_time, INTERVAL '10' SECOND) GROUP BY id, name, window_start) AS p
JOIN (SELECT seller, window_start AS starttime FROM TUMBLE(auction, date_time, INTERVAL '10' SECOND) GROUP BY seller, window_start) AS a
ON p.id = a.seller AND p.starttime = a.starttime;

-- q9
SELECT id, item, seller, bidder, price
FROM (SELECT a.id, a.item, a.seller, b.bidder, b.price,
             row_number() OVER (PARTITION BY a.id ORDER BY b.price DESC, b.date_time, b.n) AS place
      FROM auction AS a JOIN bid AS b ON a.id = b.auction AND b.date_time BETWEEN a.date_time AND a.expires) AS q
WHERE place <= 1;

-- q10
SELECT auction, bidder, price, to_char(date_time, 'YYYY-MM-DD') AS day, to_char(date_time, 'HH24:MI') AS minute FROM bid;

-- q14
SELECT auction, bidder, 0.908 * price AS price,
       CASE WHEN extract(second FROM date_time) < 20 THEN 'early' WHEN extract(second FROM date_time) < 40 THEN 'middle' ELSE 'late' END AS part,
       length(replace(extra, 'c', '')) AS others
FROM bid WHERE 0.908 * price BETWEEN 10 AND 900;

-- q15
SELECT date_trunc('minute', date_time) AS minute, count(*) AS bids, count(*) FILTER (WHERE price < 100) AS low,
       count(DISTINCT bidder) AS bidders, count(DISTINCT bidder) FILTER (WHERE price < 100) AS low_bidders,
       count(DISTINCT auction) AS auctions
FROM bid GROUP BY date_trunc('minute', date_time);

-- q16
SELECT channel, date_trunc('minute', date_time) AS minute, max(to_char(date_time, 'MI:SS')) AS latest, count(*) AS bids,
       count(DISTINCT auction) FILTER (WHERE price >= 500) AS high
FROM bid GROUP BY channel, date_trunc('minute', date_time);

-- q17
SELECT auction, date_trunc('minute', date_time) AS minute, count(*) AS bids, count(*) FILTER (WHERE price >= 100) AS high,
       min(price) AS least, max(price) AS most, avg(price) AS average, sum(price) AS total
FROM bid GROUP BY auction, date_trunc('minute', date_time);

-- q18
SELECT auction, bidder, price FROM
  (SELECT *, rank() OVER (PARTITION BY bidder, auction ORDER BY date_time DESC, n DESC) AS place FROM bid) AS b WHERE place <= 1;

-- q19
SELECT auction, bidder, price, place FROM
  (SELECT *, row_number() OVER (PARTITION BY auction ORDER BY price DESC, n) AS place FROM bid) AS b WHERE place <= 3;

-- q20
SELECT b.auction, b.bidder, b.price, a.item, a.seller FROM bid AS b JOIN auction AS a ON b.auction = a.id WHERE a.category = 1;

-- q21
SELECT auction, bidder, CASE WHEN lower(channel) = 'apple' THEN '0' WHEN lower(channel) = 'google' THEN '1'
                             ELSE (regexp_match(url, '(&|^)channel_id=([^&]*)'))[2] END AS channel_id
FROM bid WHERE (regexp_match(url, '(&|^)channel_id=([^&]*)'))[2] IS NOT NULL OR lower(channel) IN ('apple', 'google');

-- q22
SELECT auction, split_part(url, '/', 4) AS dir1, split_part(url, '/', 5) AS dir2 FROM bid;
