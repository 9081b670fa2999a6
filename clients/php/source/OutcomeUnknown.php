<?php

declare(strict_types=1);

namespace Payments;

/**
 * Whether the call was carried out could not be found out. Keep the key: the same call with it is never carried
 * out twice, and `$client->idempotencyKeys->retrieve($key, ['operation' => $operation])` says what became of it.
 */
final class OutcomeUnknown extends PaymentsError
{
    public function __construct(public readonly string $key, public readonly string $operation, \Throwable $cause)
    {
        $message = "Whether this $operation was carried out is not known. Repeat it with the same key: $key";
        parent::__construct($message, true, $cause);
    }
}
