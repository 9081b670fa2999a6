<?php

declare(strict_types=1);

namespace Payments;

/**
 * One exchange: by curl, or by PHP's streams where there is no curl. Each has a connection of its own, because curl
 * repeats a request by itself when a connection that it has kept is dead.
 *
 * It returns `{status, headers, body}`, or `{failure, is_unsent}`. It throws nothing, so no trace shows its headers.
 *
 * @internal
 */
final class Transport
{
    /** Curl's numbers for: not resolved, not connected, no TLS. Nothing of the request was sent. */
    private const UNSENT = [5, 6, 7, 35, 60, 77];
    private const TIMED_OUT = 28;
    /** The same in the words of PHP's streams. */
    private const UNSENT_STREAM = '/Connection refused|getaddrinfo|enable crypto/';

    private readonly bool $hasCurl;

    public function __construct()
    {
        $this->hasCurl = function_exists('curl_init');
        if (!$this->hasCurl && !ini_get('allow_url_fopen')) {
            throw new InvalidArgument('transport', 'PHP has no curl (php-curl), and allow_url_fopen is off.');
        }
    }

    /**
     * @param list<string> $headers
     * @return array{status: int, headers: array<string, string>, body: string}|array{failure: string, is_unsent: bool}
     */
    public function send(string $method, string $url, #[\SensitiveParameter] array $headers, ?string $body, float $seconds): array
    {
        return $this->hasCurl
            ? self::sendByCurl($method, $url, $headers, $body, $seconds)
            : self::sendByStream($method, $url, $headers, $body, $seconds);
    }

    private static function sendByCurl(string $method, string $url, #[\SensitiveParameter] array $headers, ?string $body, float $seconds): array
    {
        $lines = [];
        $handle = curl_init();
        $options = [
            CURLOPT_URL => $url,
            CURLOPT_CUSTOMREQUEST => $method,
            // Curl's own ones are not wanted: neither a question whether to go on, nor the type of a form.
            CURLOPT_HTTPHEADER => [...$headers, 'Expect:', ...($body === null ? ['Content-Type:'] : [])],
            CURLOPT_HEADERFUNCTION => static function (mixed $handle, string $line) use (&$lines): int {
                $lines[] = $line;
                return strlen($line);
            },
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_SUPPRESS_CONNECT_HEADERS => true,
            CURLOPT_HTTP_VERSION => CURL_HTTP_VERSION_1_1,
            CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS,
            CURLOPT_NOSIGNAL => true,
            // 0 would be no limit.
            CURLOPT_TIMEOUT_MS => max(1, (int) ceil($seconds * 1000)),
        ];
        if ($method !== 'GET') {
            $options[CURLOPT_POSTFIELDS] = $body ?? '';
        }
        curl_setopt_array($handle, $options);
        $text = curl_exec($handle);
        if (is_string($text)) {
            return self::receive($lines, $text);
        }
        $number = curl_errno($handle);
        $isUnconnected = $number === self::TIMED_OUT && curl_getinfo($handle, CURLINFO_CONNECT_TIME) == 0;
        return ['failure' => curl_error($handle), 'is_unsent' => $isUnconnected || in_array($number, self::UNSENT, true)];
    }

    private static function sendByStream(string $method, string $url, #[\SensitiveParameter] array $headers, ?string $body, float $seconds): array
    {
        $end = hrtime(true) / 1e9 + $seconds;
        $length = $method === 'GET' ? [] : ['Content-Length: ' . strlen($body ?? '')];
        $http = [
            'method' => $method,
            'header' => [...$headers, ...$length, 'Connection: close'],
            'content' => $body ?? '',
            'protocol_version' => 1.1,
            'follow_location' => 0,
            'ignore_errors' => true,
            'timeout' => max(0.001, $seconds),
        ];
        $faults = [];
        set_error_handler(static function (int $level, string $message) use (&$faults): bool {
            $faults[] = preg_replace('/^\w+\(.*?\): /', '', $message);
            return true;
        });
        try {
            $stream = fopen($url, 'r', false, stream_context_create(['http' => $http]));
            if ($stream === false) {
                $failure = implode(' ', $faults);
                return ['failure' => $failure, 'is_unsent' => preg_match(self::UNSENT_STREAM, $failure) === 1];
            }
            $text = '';
            // A read that waits goes on until its buffer is full, as long as something comes; and what is sent in chunks
            // cannot be waited for in another way.
            stream_set_blocking($stream, false);
            while (!feof($stream)) {
                if (hrtime(true) / 1e9 >= $end) {
                    return ['failure' => 'It took too long', 'is_unsent' => false];
                }
                $part = (string) fread($stream, 65536);
                $text .= $part;
                if ($part === '') {
                    usleep(2_000);
                }
            }
            $received = self::receive(stream_get_meta_data($stream)['wrapper_data'] ?? [], $text);
            $isWhole = strlen($text) >= (int) ($received['headers']['content-length'] ?? 0);
            return $isWhole ? $received : ['failure' => 'It ended too early', 'is_unsent' => false];
        } finally {
            restore_error_handler();
        }
    }

    private static function receive(array $lines, string $body): array
    {
        $status = 0;
        $headers = [];
        foreach ($lines as $line) {
            // 100 may come before.
            if (preg_match('~^HTTP/\S+ (\d{3})~', $line, $parts) === 1) {
                [$status, $headers] = [(int) $parts[1], []];
            } elseif (str_contains($line, ':')) {
                [$name, $value] = explode(':', $line, 2);
                $headers[strtolower($name)] = trim($value);
            }
        }
        return ['status' => $status, 'headers' => $headers, 'body' => $body];
    }
}
