<?php

// Written by npm run clients from api/openapi.json.

declare(strict_types=1);

namespace Payments\Generated;

use Payments\Core;

/**
 * @phpstan-import-type WalletList from Models
 */
final class WalletsResource
{
    public function __construct(private readonly Core $core)
    {
    }

    /**
     * Balances, one wallet per currency. In the environment of the key: sandbox balances are for
     * trying and are worth nothing.
     *
     * @param array<string, string> $headers sent with each try
     * @return WalletList
     */
    public function list(array $headers = []): array
    {
        return $this->core->call('GET', '/wallets', ['headers' => $headers]);
    }
}
