#!/bin/sh
# Creates roles and databases; the image runs this at its first start. There are four roles, so that the
# application can neither change the schema, nor do what operators do, nor reach Temporal's tables.
set -eu
psql --set=ON_ERROR_STOP=1 --username="$POSTGRES_USER" --dbname=postgres \
  --set=owner_password="$PAYMENTS_OWNER_PASSWORD" \
  --set=app_password="$PAYMENTS_APP_PASSWORD" \
  --set=operator_password="$PAYMENTS_OPERATOR_PASSWORD" \
  --set=temporal_password="$TEMPORAL_DB_PASSWORD" <<'SQL'
create role payments_owner login password :'owner_password';
create role payments_app login password :'app_password';
create role payments_operator login password :'operator_password';
create role temporal login password :'temporal_password';
create database payments owner payments_owner;
create database temporal owner temporal;
create database temporal_visibility owner temporal;
-- By default every role may connect to every database.
revoke connect on database payments, temporal, temporal_visibility, postgres from public;
grant connect on database payments to payments_app, payments_operator;
SQL
