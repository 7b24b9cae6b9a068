// pgJDBC: prepared in text and in binary, batches, cursors, keys, COPY, cancel, metadata.
import java.io.StringReader;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.sql.*;
import java.util.*;
import org.postgresql.PGConnection;

public class Client {
    static void equal(Object wanted, Object got) {
        if (!Objects.equals(wanted, got)) throw new AssertionError("wanted " + wanted + ", got " + got);
    }

    interface Work { void run() throws Exception; }

    static void fails(String state, Work work) throws Exception {
        try {
            work.run();
        } catch (SQLException e) {
            equal(state, e.getSQLState());
            return;
        }
        throw new AssertionError("nothing failed with " + state);
    }

    static String url;

    static Connection open(String options) throws SQLException {
        return DriverManager.getConnection(url + options);
    }

    public static void main(String[] arguments) throws Exception {
        url = arguments[0];
        try (Connection c = open(""); Statement s = c.createStatement()) {
            s.execute("CREATE TABLE numbers (n int PRIMARY KEY, s varchar(20), x numeric(8,2), at timestamptz,"
                + " d date, b boolean, y bytea, f float8, l bigint, u uuid, j jsonb)");
        }
        for (String options : List.of("&prepareThreshold=5", "&prepareThreshold=1&binaryTransfer=true",
                "&preferQueryMode=simple", "&prepareThreshold=0")) {
            values(options);
        }
        batches();
        cursors();
        transactions();
        copies();
        cancels();
        metadata();
        System.out.println("done");
    }

    static void values(String options) throws Exception {
        boolean hasBytes = !options.contains("simple"); // It cannot write them as text.
        try (Connection c = open(options)) {
            c.createStatement().execute("DELETE FROM numbers");
            Timestamp at = Timestamp.from(java.time.Instant.parse("2024-02-29T01:02:03.004005Z"));
            UUID uuid = UUID.fromString("12345678-1234-5678-1234-567812345678");
            PreparedStatement insert = c.prepareStatement(
                "INSERT INTO numbers VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb)");
            for (int n = 1; n <= 10; n++) {
                insert.setInt(1, n);
                insert.setString(2, "row " + n);
                insert.setBigDecimal(3, new BigDecimal("12.50"));
                insert.setTimestamp(4, at);
                insert.setDate(5, java.sql.Date.valueOf("2024-02-29"));
                insert.setBoolean(6, true);
                insert.setBytes(7, hasBytes ? new byte[] {0, (byte) 255} : null);
                insert.setDouble(8, -0.1);
                insert.setLong(9, 7_000_000_000L);
                insert.setObject(10, uuid);
                insert.setString(11, "{\"a\": 1}");
                equal(1, insert.executeUpdate());
            }
            PreparedStatement query = c.prepareStatement("SELECT * FROM numbers WHERE n = ? AND s = ? AND at <= ?");
            for (int n = 1; n <= 10; n++) {
                query.setInt(1, n);
                query.setString(2, "row " + n);
                query.setTimestamp(3, at);
                ResultSet r = query.executeQuery();
                equal(true, r.next());
                equal(n, r.getInt("n"));
                equal("row " + n, r.getString("s"));
                equal(new BigDecimal("12.50"), r.getBigDecimal("x"));
                equal(at, r.getTimestamp("at"));
                equal("2024-02-29", r.getDate("d").toString());
                equal(true, r.getBoolean("b"));
                equal(hasBytes ? "[0, -1]" : "null", Arrays.toString(r.getBytes("y")));
                equal(-0.1, r.getDouble("f"));
                equal(7_000_000_000L, r.getLong("l"));
                equal(uuid, r.getObject("u"));
                equal("{\"a\": 1}", r.getString("j"));
                equal(false, r.next());
            }
            PreparedStatement any = c.prepareStatement("SELECT count(*) FROM numbers WHERE n = ANY(?)");
            any.setArray(1, c.createArrayOf("int4", new Integer[] {1, 2, 77}));
            ResultSet r = any.executeQuery();
            r.next();
            equal(2L, r.getLong(1));
            PreparedStatement nulls = c.prepareStatement("SELECT n FROM numbers WHERE ?::int IS NULL AND n < ?");
            nulls.setNull(1, Types.INTEGER);
            nulls.setInt(2, 2);
            r = nulls.executeQuery();
            r.next();
            equal(1, r.getInt(1));
            PreparedStatement day = c.prepareStatement("SELECT date_trunc(?, at)::date FROM numbers WHERE n = 1");
            day.setString(1, "month");
            r = day.executeQuery();
            r.next();
            equal("2024-02-01", r.getString(1));
            equal(true, c.isValid(5));
        }
    }

    static void batches() throws Exception {
        for (String options : List.of("", "&reWriteBatchedInserts=true")) {
            try (Connection c = open(options)) {
                c.createStatement().execute("DELETE FROM numbers");
                PreparedStatement insert = c.prepareStatement("INSERT INTO numbers (n, s) VALUES (?, ?)");
                for (int n = 0; n < 300; n++) {
                    insert.setInt(1, n);
                    insert.setString(2, "row " + n);
                    insert.addBatch();
                }
                equal(300, insert.executeBatch().length);
                Statement s = c.createStatement();
                s.addBatch("UPDATE numbers SET s = 'x' WHERE n < 5");
                s.addBatch("DELETE FROM numbers WHERE n >= 290");
                equal("[5, 10]", Arrays.toString(s.executeBatch()));
                PreparedStatement keys = c.prepareStatement(
                    "INSERT INTO numbers (n, s) VALUES (?, ?)", Statement.RETURN_GENERATED_KEYS);
                keys.setInt(1, 1000);
                keys.setString(2, "new");
                keys.executeUpdate();
                ResultSet r = keys.getGeneratedKeys();
                r.next();
                equal(1000, r.getInt("n"));
                equal("new", r.getString("s"));
            }
        }
    }

    static void cursors() throws Exception {
        try (Connection c = open("")) {
            c.setAutoCommit(false);
            PreparedStatement query = c.prepareStatement("SELECT n FROM numbers WHERE n < ? ORDER BY n");
            query.setFetchSize(17);
            query.setInt(1, 100);
            ResultSet r = query.executeQuery();
            for (int n = 0; n < 100; n++) {
                equal(true, r.next());
                equal(n, r.getInt(1));
            }
            equal(false, r.next());
            query.setMaxRows(5);
            r = query.executeQuery();
            int count = 0;
            while (r.next()) count++;
            equal(5, count);
            Statement scrolling = c.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_READ_ONLY);
            r = scrolling.executeQuery("SELECT n FROM numbers ORDER BY n LIMIT 10");
            equal(true, r.last());
            equal(9, r.getInt(1));
            equal(true, r.absolute(3));
            equal(2, r.getInt(1));
            c.rollback();
        }
    }

    static void transactions() throws Exception {
        try (Connection c = open("")) {
            c.setAutoCommit(false);
            Statement s = c.createStatement();
            s.execute("INSERT INTO numbers (n) VALUES (2000)");
            Savepoint before = c.setSavepoint("before");
            fails("22012", () -> s.execute("SELECT 1/0"));
            fails("25P02", () -> s.execute("SELECT 1"));
            c.rollback(before);
            s.execute("INSERT INTO numbers (n) VALUES (2001)");
            c.commit();
            ResultSet r = s.executeQuery("SELECT count(*) FROM numbers WHERE n >= 2000");
            r.next();
            equal(2, r.getInt(1));
            c.rollback();
            c.setReadOnly(true);
            fails("25006", () -> s.execute("DELETE FROM numbers"));
            c.rollback();
            c.setReadOnly(false);
            c.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            equal(Connection.TRANSACTION_REPEATABLE_READ, c.getTransactionIsolation());
            s.execute("SELECT 1");
            c.commit();
        }
        try (Connection c = open("&autosave=always")) {
            c.setAutoCommit(false);
            Statement s = c.createStatement();
            s.execute("INSERT INTO numbers (n) VALUES (2002)");
            fails("42P01", () -> s.execute("SELECT * FROM nothing"));
            s.execute("INSERT INTO numbers (n) VALUES (2003)");
            c.commit();
            ResultSet r = s.executeQuery("SELECT count(*) FROM numbers WHERE n >= 2002");
            r.next();
            equal(2, r.getInt(1));
        }
        try (Connection c = open(""); Statement s = c.createStatement()) {
            equal(false, s.execute("DROP TABLE IF EXISTS nothing"));
            equal("table \"nothing\" does not exist, skipping", s.getWarnings().getMessage());
            equal(true, s.execute("SELECT 1; SELECT 2"));
            equal(true, s.getMoreResults());
            try {
                s.execute("INSERT INTO numbers (s) VALUES ('x')");
            } catch (org.postgresql.util.PSQLException e) {
                equal("n", e.getServerErrorMessage().getColumn());
                equal("numbers", e.getServerErrorMessage().getTable());
            }
        }
    }

    static void copies() throws Exception {
        try (Connection c = open("")) {
            var copy = c.unwrap(PGConnection.class).getCopyAPI();
            equal(2L, copy.copyIn("COPY numbers (n, s) FROM STDIN CSV", new StringReader("3000,a\n3001,\n")));
            StringWriter out = new StringWriter();
            copy.copyOut("COPY (SELECT n, s FROM numbers WHERE n >= 3000 ORDER BY n) TO STDOUT", out);
            equal("3000\ta\n3001\t\\N\n", out.toString());
        }
    }

    static void cancels() throws Exception {
        String slow = "SELECT count(*) FROM generate_series(1, 100000) a, generate_series(1, 1000000) b WHERE a + b < 0";
        try (Connection c = open(""); Statement s = c.createStatement()) {
            s.setQueryTimeout(1);
            fails("57014", () -> s.executeQuery(slow));
            s.setQueryTimeout(0);
            equal(true, s.executeQuery("SELECT 1").next());
        }
        try (Connection c = open("&options=-c%20statement_timeout=300"); Statement s = c.createStatement()) {
            fails("57014", () -> s.executeQuery(slow));
        }
    }

    static void metadata() throws Exception {
        try (Connection c = open("&ApplicationName=client%20test")) {
            DatabaseMetaData m = c.getMetaData();
            equal("PostgreSQL", m.getDatabaseProductName());
            equal(15, m.getDatabaseMajorVersion());
            ResultSet r = m.getTables(null, "public", "numbers", new String[] {"TABLE"});
            equal(true, r.next());
            equal("numbers", r.getString("TABLE_NAME"));
            r = m.getColumns(null, "public", "numbers", "%");
            List<String> columns = new ArrayList<>();
            while (r.next()) columns.add(r.getString("COLUMN_NAME") + " " + r.getString("TYPE_NAME"));
            equal(List.of("n int4", "s varchar", "x numeric", "at timestamptz", "d date", "b bool", "y bytea",
                "f float8", "l int8", "u uuid", "j jsonb"), columns);
            PreparedStatement p = c.prepareStatement("SELECT n, s AS label, x FROM numbers WHERE n = ? AND s LIKE ?");
            ResultSetMetaData columnsOf = p.getMetaData();
            equal("int4", columnsOf.getColumnTypeName(1));
            equal("label", columnsOf.getColumnLabel(2));
            equal(20, columnsOf.getPrecision(2));
            equal(2, columnsOf.getScale(3));
            equal("int4", p.getParameterMetaData().getParameterTypeName(1));
            equal("text", p.getParameterMetaData().getParameterTypeName(2));
            p.setInt(1, 1);
            p.setString(2, "%");
            columnsOf = p.executeQuery().getMetaData();
            equal("numbers", columnsOf.getTableName(1));
            equal("s", ((org.postgresql.PGResultSetMetaData) columnsOf).getBaseColumnName(2));
            equal(ResultSetMetaData.columnNoNulls, columnsOf.isNullable(1));
            r = c.createStatement().executeQuery("SHOW application_name");
            r.next();
            equal("client test", r.getString(1));
        }
    }
}
