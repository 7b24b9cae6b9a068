#!/usr/bin/env bash
# Install what the tests need beside Python, where this may be done and is missing: psql is one of
# the clients, and a PostgreSQL server is the judge of what our answers must be.
set -euo pipefail

packages=()
command -v psql >/dev/null || packages+=(postgresql-client)
compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || command -v initdb >/dev/null || packages+=(postgresql)
[ ${#packages[@]} -gt 0 ] || exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "installing ${packages[*]}"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "${packages[@]}" >/dev/null
else
  echo "please install ${packages[*]}: tests that need it fail without" >&2
fi
