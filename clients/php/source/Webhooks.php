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
     * @param bool $allowUntimed takes the service's own header alone, which has no time: what is sent again years later passes
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
        bool $allowUntimed = false,
    ): array {
        $secrets = self::readSecrets((array) $secrets);
        if (!($tolerance >= 0)) {
            throw new InvalidArgument('tolerance', "tolerance is a number of seconds; this is $tolerance.");
        }
        $timestamp = self::header($headers, 'webhook-timestamp') ?? '';
        $isStandard = self::header($headers, 'webhook-signature') !== null;
        if (!$isStandard && !$allowUntimed) {
            throw new SignatureError('no_signature', 'The request has no webhook-signature: none that says when it was made.');
        }
        $isGenuine = $isStandard ? self::isStandard($raw, $headers, $timestamp, $secrets) : self::isOwn($raw, $headers, $secrets);
        if (!$isGenuine) {
            $message = 'The signature is not of these bytes with any of these secrets. Give the body as it came, before it is parsed.';
            throw new SignatureError('wrong_signature', $message);
        }
        // A stranger learns nothing about the clock.
        if ($isStandard && !(abs(($now ?? microtime(true)) - (int) $timestamp) <= $tolerance)) {
            $message = "It was signed at $timestamp, which is not within $tolerance s of now.";
            throw new SignatureError('timestamp_out_of_tolerance', $message);
        }
        $event = Json::parseOrNull($raw);
        return is_array($event) ? $event : throw new SignatureError('not_an_event', 'The body is signed, and is no event.');
    }

    /**
     * The headers that the service would send, for tests of a receiver.
     *
     * @param float|null $now Unix seconds
     * @return array<string, string>
     */
    public function sign(string $raw, #[\SensitiveParameter] string $secret, string $id = 'evt-test', ?float $now = null): array
    {
        $timestamp = (string) (int) ($now ?? time());
        $signature = self::signature(self::readSecrets([$secret])[0], $id, $timestamp, $raw);
        return ['webhook-id' => $id, 'webhook-timestamp' => $timestamp, 'webhook-signature' => $signature];
    }

    /** A file or a variable often ends with a line break. */
    private static function readSecrets(#[\SensitiveParameter] array $secrets): array
    {
        $trimmed = array_map(static fn (#[\SensitiveParameter] mixed $secret): string => is_string($secret) ? trim($secret) : '', $secrets);
        if ($trimmed === [] || preg_grep(self::SECRET, $trimmed, PREG_GREP_INVERT) !== []) {
            throw new InvalidArgument('secrets', 'A webhook secret begins with whsec_; give one, or several.');
        }
        return array_values($trimmed);
    }

    private static function signature(#[\SensitiveParameter] string $secret, string $id, string $timestamp, string $raw): string
    {
        $key = (string) base64_decode(substr($secret, strlen('whsec_')), true);
        return 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$raw", $key, true));
    }

    private static function isStandard(string $raw, array $headers, string $timestamp, #[\SensitiveParameter] array $secrets): bool
    {
        $id = self::header($headers, 'webhook-id');
        if ($id === null || preg_match('/^\d{1,12}$/D', $timestamp) !== 1) {
            return false;
        }
        $sign = static fn (#[\SensitiveParameter] string $secret): string => self::signature($secret, $id, $timestamp, $raw);
        $expected = array_map($sign, $secrets);
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
            // `$_SERVER` has HTTP_WEBHOOK_ID for webhook-id, and REDIRECT_HTTP_WEBHOOK_ID, with or without it, behind a rewrite.
            $plain = preg_replace('/^(?:REDIRECT_)*HTTP_/', '', (string) $given, 1, $isVariable);
            if (strtolower($isVariable > 0 ? strtr($plain, '_', '-') : $plain) === $name) {
                $found = array_merge($found, (array) $value);
            }
        }
        $found = array_values(array_unique($found));
        return count($found) === 1 && is_string($found[0] ?? null) ? $found[0] : null;
    }
}
