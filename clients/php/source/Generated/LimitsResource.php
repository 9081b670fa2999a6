<?php

// Written by npm run clients from api/openapi.json.

declare(strict_types=1);

namespace Payments\Generated;

use Payments\Core;

/**
 * @phpstan-import-type Limits from Models
 */
final class LimitsResource
{
    public function __construct(private readonly Core $core)
    {
    }

    /**
     * Limits of the account, and what is left of them. What may come in and go out, and what
     * each wallet may hold, in the environment of the key. Above one of them an order is refused
     * with `limit_exceeded`; a payment waits for the operator of this service.
     *
     * @param array<string, string> $headers sent with each try
     * @return Limits
     */
    public function retrieve(array $headers = []): array
    {
        return $this->core->call('GET', '/limits', ['headers' => $headers]);
    }
}
