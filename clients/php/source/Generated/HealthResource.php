<?php

// Written by npm run clients from api/openapi.json.

declare(strict_types=1);

namespace Payments\Generated;

use Payments\Core;

/**
 * @phpstan-import-type Health from Models
 */
final class HealthResource
{
    public function __construct(private readonly Core $core)
    {
    }

    /**
     * Whether the service is up. Needs no key and asks neither the database nor Temporal: for
     * load balancers and monitors.
     *
     * @param array<string, string> $headers sent with each try
     * @return Health
     */
    public function retrieve(array $headers = []): array
    {
        return $this->core->call('GET', '/health', ['headers' => $headers]);
    }
}
