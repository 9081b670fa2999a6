#!/bin/sh
# deploy/postgres/init.sh has created both databases. Repeating this changes nothing; after an upgrade of
# the image it applies the new schema versions.
set -eu
for part in temporal visibility; do
  case $part in
    temporal) database=temporal ;;
    visibility) database=temporal_visibility ;;
  esac
  temporal-sql-tool --db "$database" setup-schema --version 0.0
  temporal-sql-tool --db "$database" update-schema --schema-name "postgresql/v12/$part"
done
