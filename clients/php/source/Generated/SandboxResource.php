<?php

// Written by npm run clients from api/openapi.json.

declare(strict_types=1);

namespace Payments\Generated;

use Payments\Core;

/**
 * @phpstan-import-type AdvanceSandboxClockRequest from Models
 * @phpstan-import-type CreateSandboxFaultRequest from Models
 * @phpstan-import-type DroppedSandboxFaults from Models
 * @phpstan-import-type FundSandboxWalletRequest from Models
 * @phpstan-import-type OrderedSandboxFault from Models
 * @phpstan-import-type SandboxClock from Models
 * @phpstan-import-type SandboxClockMove from Models
 * @phpstan-import-type SandboxFaultList from Models
 * @phpstan-import-type TestValues from Models
 * @phpstan-import-type Transaction from Models
 */
final class SandboxResource
{
    public function __construct(private readonly Core $core)
    {
    }

    /**
     * The clock of the sandbox, and what waits for it. An account has one clock in the sandbox.
     * It runs as the time does, and is ahead of it by as much as it was moved. Responses to test
     * keys then carry it in the header `Sandbox-Clock`.
     *
     * @param array<string, string> $headers sent with each try
     * @return SandboxClock
     */
    public function retrieveClock(array $headers = []): array
    {
        return $this->core->call('GET', '/sandbox/clock', ['headers' => $headers]);
    }

    /**
     * Advance the clock of the sandbox. Exactly one of the fields. What becomes due on the way
     * is done as it would be: links expire, webhooks are sent again and again, payouts come
     * back, approvals lapse. It only moves forward, 400 days in all. What has happened keeps its
     * real time.
     *
     * @param AdvanceSandboxClockRequest $body
     * @param array<string, string> $headers sent with each try
     * @return SandboxClockMove
     */
    public function advanceClock(array $body, array $headers = []): array
    {
        return $this->core->call('POST', '/sandbox/clock/advance', ['body' => $body, 'headers' => $headers]);
    }

    /**
     * The faults that are left, in their order. One that is used up is not listed any more.
     *
     * @param array<string, string> $headers sent with each try
     * @return SandboxFaultList
     */
    public function listFaults(array $headers = []): array
    {
        return $this->core->call('GET', '/sandbox/faults', ['headers' => $headers]);
    }

    /**
     * Order a fault for the next requests of an operation. For clients that cannot set the
     * header `Sandbox-Fault`. The faults of an operation are used up in their order, by
     * whichever request of the account comes next with a test key; one with the header uses up
     * none. `in-progress` waits for a request with an `Idempotency-Key`, and answers each key
     * once.
     *
     * @param CreateSandboxFaultRequest $body
     * @param array<string, string> $headers sent with each try
     * @return OrderedSandboxFault
     */
    public function createFault(array $body, array $headers = []): array
    {
        return $this->core->call('POST', '/sandbox/faults', ['body' => $body, 'headers' => $headers]);
    }

    /**
     * Delete all ordered faults. From then on nothing goes wrong on order, except by the header
     * of a request.
     *
     * @param array<string, string> $headers sent with each try
     * @return DroppedSandboxFaults
     */
    public function deleteFaults(array $headers = []): array
    {
        return $this->core->call('DELETE', '/sandbox/faults', ['headers' => $headers]);
    }

    /**
     * Put money of the sandbox into a wallet. Answers the transaction, of the type `adjustment`.
     * At most 20 times in 24 hours for an account.
     *
     * @param FundSandboxWalletRequest $body
     * @param string|null $idempotencyKey yours, or one that is made
     * @param array<string, string> $headers sent with each try
     * @return Transaction
     */
    public function fund(array $body, ?string $idempotencyKey = null, array $headers = []): array
    {
        return $this->core->call('POST', '/sandbox/fund', ['body' => $body, 'headers' => $headers], 'sandbox_fund', $idempotencyKey);
    }

    /**
     * The values that mean something in the sandbox. Phones that are paid and that pay, the
     * buttons and fields of the simulated checkout, and faults; in French with `Accept-Language:
     * fr`.
     *
     * @param array<string, string> $headers sent with each try
     * @return TestValues
     */
    public function listTestValues(array $headers = []): array
    {
        return $this->core->call('GET', '/sandbox/test-values', ['headers' => $headers]);
    }
}
