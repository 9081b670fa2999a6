<?php

// Written by npm run clients from api/openapi.json.

declare(strict_types=1);

namespace Payments\Generated;

use Payments\Core;

/**
 * @phpstan-import-type FeePreview from Models
 * @phpstan-import-type PreviewFeeParams from Models
 */
final class FeesResource
{
    public function __construct(private readonly Core $core)
    {
    }

    /**
     * The fee of a movement before it is ordered. The fee and its tax now: an order is charged
     * the same, unless they have changed between. Of a transfer you are the sender.
     *
     * @param PreviewFeeParams $query
     * @param array<string, string> $headers sent with each try
     * @return FeePreview
     */
    public function retrieve(array $query, array $headers = []): array
    {
        return $this->core->call('GET', '/fees', ['query' => $query, 'headers' => $headers]);
    }
}
