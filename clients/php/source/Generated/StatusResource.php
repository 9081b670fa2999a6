<?php

// Written by npm run clients from api/openapi.json.

declare(strict_types=1);

namespace Payments\Generated;

use Payments\Core;

/**
 * @phpstan-import-type ServiceStatus from Models
 */
final class StatusResource
{
    public function __construct(private readonly Core $core)
    {
    }

    /**
     * Whether its parts work: operational or degraded. `degraded` when Postgres or Temporal does
     * not work just now. Money is safe meanwhile; writing calls may answer 503. While Postgres
     * cannot be reached at all, this answers 503 as every call with a key does: the key cannot
     * be checked. `GET /ready`, beside this API and without a key, tells which part it is.
     *
     * @param array<string, string> $headers sent with each try
     * @return ServiceStatus
     */
    public function retrieve(array $headers = []): array
    {
        return $this->core->call('GET', '/status', ['headers' => $headers]);
    }
}
