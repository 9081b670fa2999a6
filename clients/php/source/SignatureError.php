<?php

declare(strict_types=1);

namespace Payments;

/** A webhook that is not the service's, or not of now: answer 400 and do nothing. */
final class SignatureError extends PaymentsError
{
    /** @var 'no_signature'|'wrong_signature'|'timestamp_out_of_tolerance'|'not_an_event' */
    public $code;

    public function __construct(string $code, string $message)
    {
        parent::__construct($message);
        $this->code = $code;
    }
}
