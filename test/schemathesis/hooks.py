"""Gives the generated calls something real to find, and counts what every operation answered."""

import atexit
import json
import os
from datetime import datetime, timezone

import schemathesis

REAL = json.loads(os.environ["SCHEMATHESIS_REAL"])
counts = {}


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Adds examples to the document. The contract stays as it is: examples only say where to look."""
    paths = raw_schema["paths"]
    give(paths["/transactions/{id}"]["get"], "id", REAL["transaction_id"])
    give(paths["/transfers/{reference}"]["get"], "reference", REAL["reference"])
    give(paths["/idempotency-keys/{key}"]["get"], "key", REAL["key"])
    give(paths["/fee-invoices/{number}"]["get"], "number", REAL["invoice"])
    statement = paths["/statements/{currency}/{month}"]["get"]
    give(statement, "currency", "XOF")
    # The account was made in it.
    give(statement, "month", datetime.now(timezone.utc).strftime("%Y-%m"))
    reversal = paths["/transfers/{reference}/reversals"]["post"]
    give(reversal, "reference", REAL["received"])
    show(reversal, {"amount": 5, "reason": "too much"})
    give(paths["/transactions"]["get"], "cursor", "2100-01-01T00:00:00.000000Z")
    give(paths["/transactions"]["get"], "type", "transfer")
    intents = paths["/payment-intents"]
    give(intents["get"], "cursor", "2100-01-01T00:00:00.000000Z")
    give(intents["get"], "created_from", "2000-01-01")
    give(intents["get"], "created_to", "2100-01-01")
    named = "/payment-intents/{id_or_code}"
    give(paths[named]["get"], "id_or_code", REAL["intent_id"])
    give(paths[f"{named}/timeline"]["get"], "id_or_code", REAL["intent_id"])
    give(paths[f"{named}/cancel"]["post"], "id_or_code", REAL["canceled_id"])
    body = intents["post"]["requestBody"]["content"]["application/json"]
    body["examples"] = {
        "least": {"value": {"currency": "XOF", "amount": 5}},
        "more": {
            "value": {
                "currency": "EUR",
                "amount": 0.01,
                "country": "SN",
                "description": "Two books",
                "customer_email": "awa@example.com",
                "customer_phone": "+221771234567",
                "metadata": {"order": "A-17"},
                "expires_in": 900,
            }
        },
    }
    give_webhooks(paths)
    give_links(paths)
    give_attempts(paths)
    give_batches(paths)
    give_payout_batches(paths)
    give_refunds(paths)
    give_disputes(paths)
    give_payouts(paths)
    show(paths["/sandbox/clock/advance"]["post"], {"to_next": True})
    give_sandbox(paths)
    body = paths["/transfers"]["post"]["requestBody"]["content"]["application/json"]
    body["examples"] = {
        "francs": {"value": {"to_username": REAL["recipient"], "currency": "XOF", "amount": 5}},
        "cents": {"value": {"to_username": REAL["recipient"], "currency": "EUR", "amount": 0.01}},
    }


def give_links(paths):
    links = paths["/payment-links"]
    give(links["get"], "cursor", "2100-01-01T00:00:00.000000Z")
    show(links["post"], {"title": "Coffee", "currency": "XOF", "amount": 5, "collect": [{"key": "a", "label": "A"}]})
    named = "/payment-links/{id_or_code}"
    for path, method in [(named, "get"), (named, "patch"), (f"{named}/payments", "get")]:
        give(paths[path][method], "id_or_code", REAL["link_id"])
    give(paths[f"{named}/payments"]["get"], "cursor", "2100-01-01T00:00:00.000000Z")
    show(paths[named]["patch"], {"title": "Tea", "active_until": "2100-01-01"})


def give_attempts(paths):
    named = "/payment-intents/{id_or_code}/attempts"
    one = f"{named}/{{attempt_id}}"
    give(paths[named]["post"], "id_or_code", REAL["payable_id"])
    for path, method in [(named, "get"), (one, "get"), (f"{one}/otp", "post")]:
        give(paths[path][method], "id_or_code", REAL["attempted_id"])
    for path, method in [(one, "get"), (f"{one}/otp", "post")]:
        give(paths[path][method], "attempt_id", REAL["attempt_id"])
    show(paths[named]["post"], {"operator": "free_sn", "phone": "+221760000013"})
    show(paths[f"{one}/otp"]["post"], {"otp": "1234"})


def give_batches(paths):
    named = "/transfer-batches/{id}"
    give(paths[named]["get"], "id", REAL["batch_id"])
    give(paths[f"{named}/transfers"]["get"], "id", REAL["batch_id"])
    give(paths[f"{named}/cancel"]["post"], "id", REAL["stopped_id"])
    transfers = [{"to_username": REAL["recipient"], "currency": "XOF", "amount": 5}]
    show(paths["/transfer-batches"]["post"], {"transfers": transfers})


def give_payout_batches(paths):
    named = "/payout-batches/{id}"
    for path, method in [(named, "get"), (f"{named}/payouts", "get"), (f"{named}/confirm", "post")]:
        give(paths[path][method], "id", REAL["payout_batch_id"])
    give(paths[f"{named}/cancel"]["post"], "id", REAL["stopped_payouts_id"])
    phone = {"type": "mobile_money", "phone": "+221770000100"}
    payouts = [{"destination": phone, "currency": "XOF", "amount": 500, "name": "Awa Diop"}]
    show(paths["/payout-batches"]["post"], {"payouts": payouts})


def give_payouts(paths):
    named = "/payouts/{id_or_reference}"
    give(paths[named]["get"], "id_or_reference", REAL["payout_id"])
    give(paths[f"{named}/timeline"]["get"], "id_or_reference", REAL["payout_id"])
    give(paths[f"{named}/confirm"]["post"], "id_or_reference", REAL["payout_id"])
    give(paths[f"{named}/cancel"]["post"], "id_or_reference", REAL["canceled_payout_id"])
    for what in ("approve", "reject"):
        give(paths[f"{named}/{what}"]["post"], "id_or_reference", REAL["payout_id"])
    give(paths["/payouts"]["get"], "cursor", "2100-01-01T00:00:00.000000Z")
    give(paths["/payouts"]["get"], "created_from", "2000-01-01")
    give(paths["/payouts"]["get"], "created_to", "2100-01-01")
    phone = {"type": "mobile_money", "phone": "+221770000100"}
    order = {"currency": "XOF", "amount": 100, "destination": phone}
    show(paths["/payouts"]["post"], {**order, "name": "Awa Diop", "metadata": {"wage": "May"}})
    show(paths["/payout-destinations/check"]["post"], order)


def give_sandbox(paths):
    show(paths["/sandbox/fund"]["post"], {"currency": "XOF", "amount": 5})
    # One that changes nothing, instead of the document's own, which loses the response to a transfer.
    fault = {"operation": "GET /idempotency-keys/{key}", "fault": "slow=0", "times": 1}
    show(paths["/sandbox/faults"]["post"], fault)
    del paths["/sandbox/faults"]["post"]["requestBody"]["content"]["application/json"]["example"]


def give_refunds(paths):
    of_intent = paths["/payment-intents/{id_or_code}/refunds"]
    for method in ("get", "post"):
        give(of_intent[method], "id_or_code", REAL["paid_id"])
    show(of_intent["post"], {"amount": 5, "reason": "one book"})
    give(paths["/refunds"]["get"], "cursor", "2100-01-01T00:00:00.000000Z")
    give(paths["/refunds"]["get"], "created_from", "2000-01-01")
    give(paths["/refunds"]["get"], "created_to", "2100-01-01")
    give(paths["/refunds/{id}"]["get"], "id", REAL["refund_id"])


def give_disputes(paths):
    give(paths["/disputes"]["get"], "cursor", "2100-01-01T00:00:00.000000Z")
    give(paths["/disputes"]["get"], "created_from", "2000-01-01")
    give(paths["/disputes"]["get"], "created_to", "2100-01-01")
    give(paths["/disputes/{id}"]["get"], "id", REAL["dispute_id"])


def give_webhooks(paths):
    endpoints = "/webhook-endpoints/{id}"
    for method, id_of in [("get", "endpoint_id"), ("patch", "changed_id"), ("delete", "doomed_id")]:
        give(paths[endpoints][method], "id", REAL[id_of])
    for action, id_of in [("rotate-secret", "endpoint_id"), ("test", "endpoint_id"), ("resend", "resent_id")]:
        give(paths[f"{endpoints}/{action}"]["post"], "id", REAL[id_of])
    # They are for an endpoint whose deliveries nothing else looks at.
    faults = paths[f"{endpoints}/faults"]
    for method in ("post", "get", "delete"):
        give(faults[method], "id", REAL["changed_id"])
    show(faults["post"], {"fault": "duplicate", "times": 1})
    give(paths["/webhook-resends/{id}"]["get"], "id", REAL["resend_id"])
    give(paths["/events"]["get"], "after", "0")
    give(paths["/events/{id}"]["get"], "id", REAL["event_id"])
    give(paths["/events/{id}/resend"]["post"], "id", REAL["event_id"])
    deliveries = paths["/webhook-deliveries"]["get"]
    give(deliveries, "endpoint_id", REAL["endpoint_id"])
    give(deliveries, "event_id", REAL["event_id"])
    give(deliveries, "cursor", "2100-01-01T00:00:00.000000Z")
    give(deliveries, "created_from", "2000-01-01")
    give(deliveries, "created_to", "2100-01-01")
    named = "/webhook-deliveries/{id}"
    give(paths[named]["get"], "id", REAL["delivery_id"])
    give(paths[f"{named}/attempts"]["get"], "id", REAL["delivery_id"])
    give(paths[f"{named}/attempts"]["get"], "cursor", "100")
    give(paths[f"{named}/resend"]["post"], "id", REAL["delivery_id"])
    show(paths["/webhook-endpoints"]["post"], {"url": REAL["hook"], "types": ["payment.failed"]})
    show(paths[endpoints]["patch"], {"description": "Another", "max_per_second": 50})
    show(paths[f"{endpoints}/resend"]["post"], {"status": "delivered", "created_from": "2000-01-01"})
    show(paths["/events/{id}/resend"]["post"], {"endpoint_id": REAL["resent_id"]})


def show(operation, value):
    body = operation["requestBody"]["content"]["application/json"]
    body["examples"] = {"real": {"value": value}}


def give(operation, name, value):
    for parameter in operation["parameters"]:
        if parameter["name"] == name:
            parameter["example"] = value
            return
    raise LookupError(f"{operation['operationId']} has no parameter {name}")


@schemathesis.hook
def after_call(context, case, response):
    label = f"{case.operation.method.upper()} {case.operation.path}"
    # Calls with another method than the operation's own try whether that is refused.
    if case.method.upper() != case.operation.method.upper():
        return
    statuses = counts.setdefault(label, {})
    status = str(response.status_code)
    statuses[status] = statuses.get(status, 0) + 1


@atexit.register
def report():
    with open(os.environ["SCHEMATHESIS_COUNTS"], "w", encoding="utf-8") as file:
        json.dump(counts, file)
