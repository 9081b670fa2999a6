<?php

// Written by npm run clients from api/openapi.json.

declare(strict_types=1);

namespace Payments\Generated;

use Payments\Core;

/**
 * @phpstan-import-type WebhookResend from Models
 */
final class WebhookResendsResource
{
    public function __construct(private readonly Core $core)
    {
    }

    /**
     * How far such a resend has come. `queued` grows until the status is `completed`; the
     * deliveries themselves say whether they arrived.
     *
     * @param array<string, string> $headers sent with each try
     * @return WebhookResend
     */
    public function retrieve(string $id, array $headers = []): array
    {
        return $this->core->call('GET', '/webhook-resends/{id}', ['path' => ['id' => $id], 'headers' => $headers]);
    }
}
