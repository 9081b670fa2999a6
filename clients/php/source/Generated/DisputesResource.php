<?php

// Written by npm run clients from api/openapi.json.

declare(strict_types=1);

namespace Payments\Generated;

use Payments\Core;
use Payments\Page;

/**
 * @phpstan-import-type Dispute from Models
 * @phpstan-import-type DisputeList from Models
 * @phpstan-import-type ListDisputesParams from Models
 */
final class DisputesResource
{
    public function __construct(private readonly Core $core)
    {
    }

    /**
     * Disputes, newest first. Pass `next_cursor` as `cursor` to get the next page. All filters
     * together narrow the list.
     *
     * @param ListDisputesParams $query
     * @param array<string, string> $headers sent with each try
     * @return Page<DisputeList, Dispute>
     */
    public function list(array $query = [], array $headers = []): Page
    {
        return $this->core->list('disputes', 'cursor', '/disputes', ['query' => $query, 'headers' => $headers]);
    }

    /**
     * One dispute. Its amount leaves your wallet when the customer's bank claims it. `won`
     * brings it back, and what is owed lapses; `lost` takes `fee`, too.
     *
     * @param array<string, string> $headers sent with each try
     * @return Dispute
     */
    public function retrieve(string $id, array $headers = []): array
    {
        return $this->core->call('GET', '/disputes/{id}', ['path' => ['id' => $id], 'headers' => $headers]);
    }
}
