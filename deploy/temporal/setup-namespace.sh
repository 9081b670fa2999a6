#!/bin/sh
# Waits for the server itself, not only for its port, then creates the namespace or corrects its
# retention. The CLI reads TEMPORAL_ADDRESS itself, but `create` does not read TEMPORAL_NAMESPACE.
set -eu
tries=0
until temporal operator cluster health; do
  tries=$((tries + 1))
  [ "$tries" -lt 60 ] || exit 1
  sleep 2
done
if temporal operator namespace describe --namespace "$TEMPORAL_NAMESPACE" >/dev/null 2>&1; then
  temporal operator namespace update --namespace "$TEMPORAL_NAMESPACE" --retention "$RETENTION"
else
  temporal operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention "$RETENTION"
fi
