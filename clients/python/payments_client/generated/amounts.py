# Written by npm run clients from api/openapi.json.

AMOUNT_NAMES = frozenset(
    {
        "amount",
        "amount_received",
        "balance",
        "balance_after",
        "closing",
        "EUR",
        "fee",
        "net_amount",
        "opening",
        "owed_amount",
        "paid_amount",
        "refunded_amount",
        "remaining",
        "returned_amount",
        "reversed_amount",
        "suggestions",
        "tax",
        "USD",
        "used",
        "volume",
        "XOF",
    }
)

# An amount here and a count there.
MIXED_NAMES = frozenset(
    {
        "maximum",
        "minimum",
        "total",
    }
)
