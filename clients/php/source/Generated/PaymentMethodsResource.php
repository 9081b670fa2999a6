<?php

// Written by npm run clients from api/openapi.json.

declare(strict_types=1);

namespace Payments\Generated;

use Payments\Core;

/**
 * @phpstan-import-type ListPaymentMethodsParams from Models
 * @phpstan-import-type PaymentMethods from Models
 */
final class PaymentMethodsResource
{
    public function __construct(private readonly Core $core)
    {
    }

    /**
     * The operators through which customers pay by phone. As they are now, give or take a
     * quarter of a minute. Propose the one whose `prefixes` the phone has.
     *
     * @param ListPaymentMethodsParams $query
     * @param array<string, string> $headers sent with each try
     * @return PaymentMethods
     */
    public function list(array $query = [], array $headers = []): array
    {
        return $this->core->call('GET', '/payment-methods', ['query' => $query, 'headers' => $headers]);
    }
}
