<?php

declare(strict_types=1);

namespace Payments;

/** The service has answered, and refused. */
final class ApiError extends PaymentsError
{
    /** @var string what to decide by: any code of `/docs/errors`, or `unexpected_response` for what has not the service's form */
    public readonly string $errorCode;

    /**
     * @param string|null $param the field at fault
     * @param string|null $requestId names the request in the service's logs
     * @param int|null $retryAfter seconds, when the service has said how long to wait
     * @param mixed $details every fault, when several fields are at fault; figures, where a limit was reached
     */
    public function __construct(
        string $code,
        public readonly int $status,
        string $message,
        bool $retryable,
        public readonly ?string $param = null,
        public readonly ?string $requestId = null,
        public readonly ?int $retryAfter = null,
        public readonly mixed $details = null,
        public readonly ?string $docUrl = null,
    ) {
        $field = $param === null ? '' : ", $param";
        $request = $requestId === null ? '' : ", request $requestId";
        parent::__construct("$message ($status $code$field$request)", $retryable);
        // `getCode()` is a number, for those who wrap it in an error of their own.
        $this->code = $status;
        $this->errorCode = $code;
    }
}
