<?php

declare(strict_types=1);

namespace Payments;

/** A mistake in the call: nothing was sent. */
final class InvalidArgument extends PaymentsError
{
    public function __construct(public readonly string $param, string $message)
    {
        parent::__construct($message);
    }
}
