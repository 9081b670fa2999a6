#!/usr/bin/env bash
# test/schemathesis/run.sh
#
# Fuzzes the running system against its own OpenAPI document with Schemathesis: with a live key and
# with a test key. Starts a system of its own, in a temporary folder and on free ports, and
# stops it again. Ends with 0 when nothing was found, and 1 when something was, or when Schemathesis
# cannot be had here. SCHEMATHESIS_SEED tries other calls than the usual ones, SCHEMATHESIS_EXAMPLES fewer or more
# than 200 of each kind for each route.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
cd "$root"

# Far above what a run can reach: a 429 would hide what the call itself answers.
readonly LIMIT=100000000
readonly SEED="${SCHEMATHESIS_SEED:-20261121}"
readonly EXAMPLES="${SCHEMATHESIS_EXAMPLES:-200}"

# shellcheck source=../support/system.sh
source test/support/system.sh
python_tools schemathesis "$here"
# It also calls without a key, all from one address.
export ANONYMOUS_REQUESTS_PER_MINUTE=1000000
# A question about the key of a bulk transfer waits for as long as its upload may take.
export HTTP_HEADERS_TIMEOUT_MS=3000 HTTP_REQUEST_TIMEOUT_MS=3000
start_system
curl --silent --fail "${base_url%/api/public/v1}/openapi.json" >"$work/openapi.json"

# A paid link then has a fee, which stands on an invoice.
cli fees set --kind payment_intent --currency XOF --percent 1 --fixed 0 >/dev/null

# --- Two runs -------------------------------------------------------------------------------------

sed "s/^max-examples = 200$/max-examples = $EXAMPLES/" "$here/schemathesis.toml" >"$work/schemathesis.toml"

# fuzz <live|test>: fails when something was found.
fuzz() {
  local environment=$1 findings=0
  # With all scopes: what is refused for its scope alone shows nothing of the operation.
  key=$(cli keys create --user merchant --environment "$environment" --name schemathesis \
    --scope read --scope transfers:write --scope payment_intents:write --scope refunds:write \
    --scope payouts:write --scope payouts:approve --scope webhooks:write --scope sandbox \
    --requests-per-minute "$LIMIT" --writes-per-minute "$LIMIT" | field key)
  asked_key="schemathesis-$environment"
  reference=$(curl --silent --fail "$base_url/transfers" -H "Authorization: Bearer $key" \
    -H "Idempotency-Key: $asked_key" \
    -H 'Content-Type: application/json' \
    -d '{"to_username": "customer", "currency": "XOF", "amount": 5}' | field reference)
  # One that came from the other side, of which parts are given back.
  other_key=$(cli keys create --user customer --environment "$environment" --name schemathesis | field key)
  received=$(curl --silent --fail "$base_url/transfers" -H "Authorization: Bearer $other_key" \
    -H 'Content-Type: application/json' \
    -d '{"to_username": "merchant", "currency": "XOF", "amount": 50000}' | field reference)
  transaction_id=$(curl --silent --fail "$base_url/transactions?limit=1&type=transfer" \
    -H "Authorization: Bearer $key" | field 'transactions[0].id')

  # One to look at and one to cancel, which may be cancelled again and again.
  intent() {
    curl --silent --fail "$base_url/payment-intents" -H "Authorization: Bearer $key" \
      -H 'Content-Type: application/json' -d '{"currency": "XOF", "amount": 5}' | field id
  }
  intent_id=$(intent)
  canceled_id=$(intent)

  # Endpoints that get what they are sent: one to look at and to try, one to change, one to delete, and
  # one with a single delivery, which is sent again and again.
  hook=$(demo webhook_sink.url)
  post() {
    curl --silent --fail "$base_url$1" -H "Authorization: Bearer $key" \
      -H 'Content-Type: application/json' -d "$2"
  }
  endpoint() { post /webhook-endpoints "{\"url\": \"$hook\"}" | field id; }
  endpoint_id=$(endpoint)
  changed_id=$(endpoint)
  doomed_id=$(endpoint)
  resent_id=$(endpoint)
  sent=$(post "/webhook-endpoints/$resent_id/test" '{}')
  event_id=$(field event_id <<<"$sent")
  delivery_id=$(field delivery_id <<<"$sent")
  resend_id=$(post "/webhook-endpoints/$resent_id/resend" '{}' | field id)

  # Batches: one to look at, which takes seconds, and one that was cancelled while it waited behind it.
  batch() {
    python3 -c '
import json, sys
item = {"to_username": "customer", "currency": "XOF", "amount": 5}
print(json.dumps({"transfers": [item] * int(sys.argv[1])}))' "$1" >"$work/$environment-batch.json"
    curl --silent --fail "$base_url/transfer-batches" -H "Authorization: Bearer $key" \
      -H 'Content-Type: application/json' --data-binary "@$work/$environment-batch.json" | field id
  }
  batch_id=$(batch 10000)
  stopped_id=$(batch 1)
  post "/transfer-batches/$stopped_id/cancel" '{}' >/dev/null

  # Payout batches: one that waits to be confirmed once it was looked at, and one that was cancelled.
  payouts='[{"destination": {"type": "mobile_money", "phone": "+221770000100"}, "currency": "XOF", "amount": 500}]'
  payout_batch_id=$(post /payout-batches "{\"payouts\": $payouts}" | field id)
  stopped_payouts_id=$(post /payout-batches "{\"payouts\": $payouts}" | field id)
  post "/payout-batches/$stopped_payouts_id/cancel" '{}' >/dev/null

  link_id=$(post /payment-links '{"title": "Coffee", "currency": "XOF", "amount": 5}' | field id)

  # Two that are paid: parts of one are refunded, the other is disputed, which ends its refunds.
  paid_intent() {
    local intent status
    intent=$(post /payment-intents '{"currency": "XOF", "amount": 500000}')
    curl --silent --fail --output /dev/null --data action=pay "$(field checkout_url <<<"$intent")"
    for ((asked = 0; asked < 600; asked++)); do
      status=$(curl --silent --fail "$base_url/payment-intents/$(field id <<<"$intent")" \
        -H "Authorization: Bearer $key" | field status)
      [ "$status" = succeeded ] && break
      sleep 0.1
    done
    echo "$intent"
  }
  paid_id=$(paid_intent | field id)
  disputed=$(paid_intent)
  invoice=$(cli fees invoice --user merchant --environment "$environment" | field 'invoices[0].number')
  # One that a customer may be asked to pay, and one that waits for a one-time code.
  payable_id=$(post /payment-intents '{"currency": "XOF", "amount": 500, "expires_in": 2592000}' | field id)
  attempted_id=$(post /payment-intents '{"currency": "XOF", "amount": 500}' | field id)
  attempt_id=$(post "/payment-intents/$attempted_id/attempts" '{"operator": "orange_sn", "phone": "+221770000100"}' |
    field id)
  # One to look at and to confirm, and one to cancel.
  payout() {
    post /payouts '{"currency": "XOF", "amount": 100, "confirm": false,
      "destination": {"type": "mobile_money", "phone": "+221770000100"}}' | field id
  }
  payout_id=$(payout)
  canceled_payout_id=$(payout)
  refund_id=$(post "/payment-intents/$paid_id/refunds" '{"amount": 5}' | field id)
  curl --silent --fail --output /dev/null --data 'course=open&amount_minor=500' \
    "$(field checkout_url <<<"$disputed")/dispute"
  for ((asked = 0; asked < 600; asked++)); do
    dispute_id=$(curl --silent --fail "$base_url/disputes" -H "Authorization: Bearer $key" |
      python3 -c 'import json, sys; print(*[one["id"] for one in json.load(sys.stdin)["disputes"]])')
    [ -n "$dispute_id" ] && break
    sleep 0.1
  done

  # In the temporary folder: it leaves caches where it runs.
  (
    cd "$work"
    export SCHEMATHESIS_HOOKS=hooks PYTHONPATH="$here" PYTHONDONTWRITEBYTECODE=1
    SCHEMATHESIS_REAL=$(python3 -c '
import json, sys
print(json.dumps(dict(argument.split("=", 1) for argument in sys.argv[1:])))' \
      recipient=customer "reference=$reference" "received=$received" "key=$asked_key" "transaction_id=$transaction_id" \
      "intent_id=$intent_id" "canceled_id=$canceled_id" "hook=$hook" "endpoint_id=$endpoint_id" \
      "changed_id=$changed_id" "doomed_id=$doomed_id" "resent_id=$resent_id" "event_id=$event_id" \
      "delivery_id=$delivery_id" "resend_id=$resend_id" "batch_id=$batch_id" \
      "stopped_id=$stopped_id" "payout_batch_id=$payout_batch_id" "stopped_payouts_id=$stopped_payouts_id" \
      "payable_id=$payable_id" "attempted_id=$attempted_id" "attempt_id=$attempt_id" "paid_id=$paid_id" "refund_id=$refund_id" "dispute_id=$dispute_id" "payout_id=$payout_id" "canceled_payout_id=$canceled_payout_id" "link_id=$link_id" "invoice=$invoice")
    export SCHEMATHESIS_REAL
    export SCHEMATHESIS_COUNTS="$work/$environment.json"
    "$tools/bin/schemathesis" --config-file "$work/schemathesis.toml" run "$work/openapi.json" \
      --url "$base_url" --header "Authorization: Bearer $key" --seed "$SEED" --workers 1
  ) || findings=1
  "$tools/bin/python" "$here/counts.py" "$work/$environment.json" "$work/openapi.json" || findings=1
  return "$findings"
}

# Both at once: each alone leaves a core idle.
findings=0
fuzz live >"$work/live.log" 2>&1 &
live=$!
fuzz test >"$work/test.log" 2>&1 &
test=$!
wait "$live" || findings=1
wait "$test" || findings=1
for environment in live test; do
  printf '\n--- with a %s key\n' "$environment"
  cat "$work/$environment.log"
done


# --- Its leftovers -------------------------------------------------------------------------------

echo
if ! kill -0 "$system" 2>/dev/null; then
  echo 'The system has ended. Its last words:' >&2
  tail -n 30 "$work/start.log" >&2
  exit 1
fi
cli ledger verify || findings=1
if grep '"log":"error"' "$DATA_DIRECTORY/logs/service.log"; then
  echo 'The service logged errors.' >&2
  findings=1
fi
exit "$findings"
