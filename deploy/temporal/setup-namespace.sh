#!/bin/sh
# Waits for the server itself, not only for its port, then makes the namespace or corrects its
# retention. The environment has TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE, which the CLI reads.
set -eu
tries=0
until temporal operator cluster health; do
  tries=$((tries + 1))
  [ "$tries" -lt 60 ] || exit 1
  sleep 2
done
if temporal operator namespace describe >/dev/null 2>&1; then
  temporal operator namespace update --retention "$RETENTION"
else
  temporal operator namespace create --retention "$RETENTION"
fi
