<?php

declare(strict_types=1);

namespace Payments;

/**
 * The service could not be reached, or its response was lost. Of a call with an Idempotency-Key it says that
 * nothing has happened: the service was asked, or nothing was sent.
 */
final class ConnectionError extends PaymentsError
{
    /** @param bool $isUnsent whether it is certain that the service has not seen the request */
    public function __construct(string $message, public readonly bool $isUnsent = false)
    {
        parent::__construct($message, true);
    }
}
