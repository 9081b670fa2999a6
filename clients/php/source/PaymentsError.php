<?php

declare(strict_types=1);

namespace Payments;

/** The parent of everything that a call may throw. */
abstract class PaymentsError extends \RuntimeException
{
    /** @param bool $retryable whether the same call, with the same Idempotency-Key, may succeed later */
    public function __construct(string $message, public readonly bool $retryable = false, ?\Throwable $cause = null)
    {
        parent::__construct($message, 0, $cause);
    }

    /** @internal */
    public function with(string $sentence): static
    {
        $this->message .= " $sentence";
        return $this;
    }
}
