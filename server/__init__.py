"""Who asks: the wire protocol, SQL statements, sessions, the listener and the command line."""
