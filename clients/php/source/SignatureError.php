<?php

declare(strict_types=1);

namespace Payments;

/** A webhook that is not the service's, or not of now: answer 400 and do nothing. */
final class SignatureError extends PaymentsError
{
    /** @param 'no_signature'|'wrong_signature'|'timestamp_out_of_tolerance'|'not_an_event' $errorCode */
    public function __construct(public readonly string $errorCode, string $message)
    {
        parent::__construct($message);
    }
}
