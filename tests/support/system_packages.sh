#!/usr/bin/env bash
# Install what the tests need beside Python, where this may be done and is missing: psql is one of
# the clients, and a PostgreSQL server is the judge of what our answers must be. With the word
# `clients`: Node.js, Java and ODBC with the drivers that Debian has.
set -euo pipefail

packages=()
if [ "${1:-}" = clients ]; then
  command -v node >/dev/null || packages+=(nodejs)
  command -v npm >/dev/null || packages+=(npm)
  command -v javac >/dev/null || packages+=(default-jdk-headless)
  [ -e /usr/share/java/postgresql.jar ] || packages+=(libpostgresql-jdbc-java)
  command -v isql >/dev/null || packages+=(unixodbc)
  grep -qs 'PostgreSQL Unicode' /etc/odbcinst.ini || packages+=(odbc-postgresql)
else
  command -v psql >/dev/null || packages+=(postgresql-client)
  compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || command -v initdb >/dev/null || packages+=(postgresql)
fi
[ ${#packages[@]} -gt 0 ] || exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "installing ${packages[*]}"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "${packages[@]}" >/dev/null
else
  echo "please install ${packages[*]}: tests that need it fail without" >&2
fi
