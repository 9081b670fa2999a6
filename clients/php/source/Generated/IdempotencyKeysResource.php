<?php

// Written by npm run clients from api/openapi.json.

declare(strict_types=1);

namespace Payments\Generated;

use Payments\Core;

/**
 * @phpstan-import-type GetIdempotencyKeyParams from Models
 * @phpstan-import-type IdempotencyKey from Models
 */
final class IdempotencyKeysResource
{
    public function __construct(private readonly Core $core)
    {
    }

    /**
     * What became of a request whose response was lost. Asks without repeating the request. A
     * key without the scope `read` asks about the operations that it may carry out. 404 says
     * that no request with the key has had an effect, and that none that came before this one
     * still can: it takes five seconds, until the last of them would be over or is given up, and
     * for `transfer_batch` half a minute, because a batch may be long in uploading. A request
     * that comes later is a new one.
     *
     * @param GetIdempotencyKeyParams $query
     * @param array<string, string> $headers sent with each try
     * @return IdempotencyKey
     */
    public function retrieve(string $key, array $query, array $headers = []): array
    {
        return $this->core->call('GET', '/idempotency-keys/{key}', ['path' => ['key' => $key], 'query' => $query, 'headers' => $headers]);
    }
}
