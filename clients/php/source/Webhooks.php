<?php

declare(strict_types=1);

namespace Payments;

/**
 * Proves that a webhook is the service's: by the signature of Standard Webhooks, or by the service's own header.
 *
 * @phpstan-import-type WebhookEvent from Generated\Models
 */
final class Webhooks
{
    private const SECRET = '~^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4}))$~D';
    private const OWN = ['x-service-signature', 'x-service-signature-next'];

    /**
     * Returns the event when `$raw`, the bytes of the body as they came, is signed with one of the secrets.
     *
     * @param array<string, mixed> $headers of `getallheaders()`, of `$_SERVER`, or of a PSR-7 request
     * @param string|list<string> $secrets
     * @param float $tolerance how many seconds a delivery may be old, or early
     * @param float|null $now Unix seconds, for tests
     * @return WebhookEvent
     * @throws SignatureError when it is not, or was not signed now
     */
    public function verify(
        string $raw,
        array $headers,
        #[\SensitiveParameter] string|array $secrets,
        float $tolerance = 300,
        ?float $now = null,
    ): array {
        $secrets = (array) $secrets;
        $valid = array_filter($secrets, static fn (mixed $secret): bool => is_string($secret) && preg_match(self::SECRET, $secret) === 1);
        if ($secrets === [] || count($valid) < count($secrets)) {
            throw new InvalidArgument('secrets', 'A webhook secret begins with whsec_; give one, or several.');
        }
        $timestamp = self::header($headers, 'webhook-timestamp') ?? '';
        $isStandard = self::header($headers, 'webhook-signature') !== null;
        $isGenuine = $isStandard ? self::isStandard($raw, $headers, $timestamp, $secrets) : self::isOwn($raw, $headers, $secrets);
        if (!$isGenuine) {
            $message = 'The signature is not of these bytes with any of these secrets. Give the body as it came, before it is parsed.';
            throw new SignatureError('wrong_signature', $message);
        }
        // A stranger learns nothing about the clock.
        if ($isStandard && abs(($now ?? microtime(true)) - (int) $timestamp) > $tolerance) {
            $message = "It was signed at $timestamp, which is not within $tolerance s of now.";
            throw new SignatureError('timestamp_out_of_tolerance', $message);
        }
        try {
            $event = Json::parse($raw);
        } catch (\JsonException) {
            $event = null;
        }
        return is_array($event) ? $event : throw new SignatureError('not_an_event', 'The body is signed, and is no event.');
    }

    private static function isStandard(string $raw, array $headers, string $timestamp, #[\SensitiveParameter] array $secrets): bool
    {
        $id = self::header($headers, 'webhook-id');
        if ($id === null || preg_match('/^\d{1,12}$/D', $timestamp) !== 1) {
            return false;
        }
        $expected = array_map(static function (#[\SensitiveParameter] string $secret) use ($id, $timestamp, $raw): string {
            $key = base64_decode(substr($secret, strlen('whsec_')), true);
            return 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$raw", (string) $key, true));
        }, $secrets);
        return self::isAmong(explode(' ', self::header($headers, 'webhook-signature') ?? ''), $expected);
    }

    private static function isOwn(string $raw, array $headers, #[\SensitiveParameter] array $secrets): bool
    {
        $given = array_map(static fn (string $name): ?string => self::header($headers, $name), self::OWN);
        $given = array_filter($given, is_string(...));
        if ($given === []) {
            throw new SignatureError('no_signature', 'The request has no signature.');
        }
        return self::isAmong($given, array_map(static fn (string $secret): string => hash_hmac('sha256', $raw, $secret), $secrets));
    }

    /** In time that tells nothing of where they differ. */
    private static function isAmong(array $given, #[\SensitiveParameter] array $expected): bool
    {
        $isGenuine = false;
        foreach ($expected as $one) {
            foreach ($given as $signature) {
                $isGenuine = hash_equals($one, $signature) || $isGenuine;
            }
        }
        return $isGenuine;
    }

    /** A header that came twice is none. */
    private static function header(array $headers, string $name): ?string
    {
        $found = [];
        foreach ($headers as $given => $value) {
            // `$_SERVER` has HTTP_WEBHOOK_ID for webhook-id.
            $plain = str_starts_with((string) $given, 'HTTP_') ? strtr(substr($given, 5), '_', '-') : (string) $given;
            if (strtolower($plain) === $name) {
                $found = array_merge($found, (array) $value);
            }
        }
        return count($found) === 1 && is_string($found[0] ?? null) ? $found[0] : null;
    }
}
