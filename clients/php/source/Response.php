<?php

declare(strict_types=1);

namespace Payments;

/** What came with the result of a call, or with its refusal. */
final class Response
{
    public readonly ?string $requestId;

    /** @param array<string, string> $headers `idempotent-replayed`, `ratelimit` and all others, with names in small letters */
    public function __construct(public readonly int $status, public readonly array $headers)
    {
        $this->requestId = $headers['x-request-id'] ?? null;
    }
}
