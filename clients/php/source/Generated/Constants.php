<?php

// Written by npm run clients from api/openapi.json.

declare(strict_types=1);

namespace Payments\Generated;

final class Constants
{
    public const VERSION = '0.1.0';

    public const AMOUNT_NAMES = [
        'amount' => true,
        'amount_received' => true,
        'balance' => true,
        'balance_after' => true,
        'closing' => true,
        'EUR' => true,
        'fee' => true,
        'net_amount' => true,
        'opening' => true,
        'owed_amount' => true,
        'paid_amount' => true,
        'refunded_amount' => true,
        'remaining' => true,
        'returned_amount' => true,
        'reversed_amount' => true,
        'suggestions' => true,
        'tax' => true,
        'USD' => true,
        'used' => true,
        'volume' => true,
        'XOF' => true,
    ];

    /** An amount here and a count there. */
    public const MIXED_NAMES = [
        'maximum' => true,
        'minimum' => true,
        'total' => true,
    ];

    /** What is an object, also when it is empty: in PHP an empty array does not tell. */
    public const OBJECT_NAMES = [
        'metadata' => true,
        'open_amount' => true,
        'quantity' => true,
    ];
}
