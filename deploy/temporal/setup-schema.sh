#!/bin/sh
# Both databases exist (deploy/postgres/init.sh). Repeating this changes nothing; after an upgrade of
# the image it applies what is new.
set -eu
for part in temporal visibility; do
  case $part in
    temporal) database=temporal ;;
    visibility) database=temporal_visibility ;;
  esac
  temporal-sql-tool --db "$database" setup-schema --version 0.0
  temporal-sql-tool --db "$database" update-schema --schema-name "postgresql/v12/$part"
done
