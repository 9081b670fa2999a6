<?php

// Written by npm run clients from api/openapi.json.

declare(strict_types=1);

namespace Payments\Generated;

use Payments\Core;

/**
 * @phpstan-import-type KeyOwner from Models
 */
final class AccountResource
{
    public function __construct(private readonly Core $core)
    {
    }

    /**
     * The key's owner and environment, and what it may do. Use it to see whose key this is,
     * whether it is a test key or a live one, its scopes and when it expires. Any key may ask.
     *
     * @param array<string, string> $headers sent with each try
     * @return KeyOwner
     */
    public function retrieve(array $headers = []): array
    {
        return $this->core->call('GET', '/me', ['headers' => $headers]);
    }
}
