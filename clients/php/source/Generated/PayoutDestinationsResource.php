<?php

// Written by npm run clients from api/openapi.json.

declare(strict_types=1);

namespace Payments\Generated;

use Payments\Core;

/**
 * @phpstan-import-type CheckPayoutDestinationRequest from Models
 * @phpstan-import-type DestinationCheck from Models
 */
final class PayoutDestinationsResource
{
    public function __construct(private readonly Core $core)
    {
    }

    /**
     * Look at a destination. Whether it can be paid, by which operator, whose name it has and
     * what it would cost. Nothing moves. An account may look at a number of destinations that do
     * not exist in an hour.
     *
     * @param CheckPayoutDestinationRequest $body
     * @param array<string, string> $headers sent with each try
     * @return DestinationCheck
     */
    public function check(array $body, array $headers = []): array
    {
        return $this->core->call('POST', '/payout-destinations/check', ['body' => $body, 'headers' => $headers]);
    }
}
