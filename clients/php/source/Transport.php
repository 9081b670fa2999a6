<?php

declare(strict_types=1);

namespace Payments;

/**
 * One exchange: by curl, or by PHP's streams where there is no curl. Each has a connection of its own, because curl
 * repeats a request by itself when a connection that it has kept is dead.
 *
 * Another one, such as for tests, extends it and has its own `send`. It returns `{status, headers, body}`, with the
 * names of headers in small letters, or `{failure, is_unsent}`. It throws nothing, so no trace shows its headers.
 */
class Transport
{
    private readonly bool $hasCurl;
    /** A closure, because it may have a password. */
    private readonly \Closure $proxy;

    /** @param string|null $proxy `http://host:port` that tunnels https, with `user:password@` before the host if need be; by curl that of the environment when left out */
    public function __construct(#[\SensitiveParameter] ?string $proxy = null)
    {
        if ($proxy !== null && preg_match('~^http://[^\s/]+$~D', $proxy) !== 1) {
            throw new InvalidArgument('proxy', 'A proxy is http://host:port, with user:password@ before the host if need be.');
        }
        $this->proxy = static fn (): ?string => $proxy;
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
            ? $this->sendByCurl($method, $url, $headers, $body, $seconds)
            : $this->sendByStream($method, $url, $headers, $body, $seconds);
    }

    private function sendByCurl(string $method, string $url, #[\SensitiveParameter] array $headers, ?string $body, float $seconds): array
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
        $isTls = str_starts_with($url, 'https:');
        if (!$isTls) {
            $options[CURLOPT_PROXY] = '';
        } elseif (($this->proxy)() !== null) {
            $options[CURLOPT_PROXY] = ($this->proxy)();
        }
        curl_setopt_array($handle, $options);
        $text = curl_exec($handle);
        if (is_string($text)) {
            return self::receive($lines, $text);
        }
        // Nothing is sent before the connection is there, and TLS agreed on.
        $ready = curl_getinfo($handle, $isTls ? CURLINFO_APPCONNECT_TIME : CURLINFO_CONNECT_TIME);
        return ['failure' => curl_error($handle), 'is_unsent' => $ready == 0];
    }

    private function sendByStream(string $method, string $url, #[\SensitiveParameter] array $headers, ?string $body, float $seconds): array
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
            // PHP would not tell that the last chunk is missing.
            'auto_decode' => false,
            'timeout' => max(0.001, $seconds),
        ];
        if (str_starts_with($url, 'https:') && ($this->proxy)() !== null) {
            $proxy = parse_url(($this->proxy)());
            $http['proxy'] = "tcp://{$proxy['host']}:" . ($proxy['port'] ?? 80);
            if (isset($proxy['user'])) {
                $user = rawurldecode($proxy['user'] . ':' . ($proxy['pass'] ?? ''));
                $http['header'][] = 'Proxy-Authorization: Basic ' . base64_encode($user);
            }
        }
        // It is told of a connection when TLS is agreed on, too, and before anything is sent.
        $isReady = false;
        $notice = static function (int $code) use (&$isReady): void {
            $isReady = $isReady || $code === STREAM_NOTIFY_CONNECT;
        };
        $faults = [];
        set_error_handler(static function (int $level, string $message) use (&$faults): bool {
            $faults[] = preg_replace('/^\w+\(.*?\): /', '', $message);
            return true;
        });
        try {
            $stream = fopen($url, 'r', false, stream_context_create(['http' => $http], ['notification' => $notice]));
            if ($stream === false) {
                return ['failure' => implode(' ', $faults), 'is_unsent' => !$isReady];
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
            if (strtolower($received['headers']['transfer-encoding'] ?? '') === 'chunked') {
                $received['body'] = self::joinChunks($text);
                $isWhole = $received['body'] !== null;
            }
            return $isWhole ? $received : ['failure' => 'It ended too early', 'is_unsent' => false];
        } finally {
            restore_error_handler();
        }
    }

    /** Null when the last one is missing. */
    private static function joinChunks(string $text): ?string
    {
        $joined = '';
        for ($at = 0; preg_match('/\G([0-9a-f]{1,8})[^\r\n]*\r\n/i', $text, $line, 0, $at) === 1; $at += $size + 2) {
            $size = (int) hexdec($line[1]);
            if ($size === 0) {
                return $joined;
            }
            $at += strlen($line[0]);
            $joined .= substr($text, $at, $size);
        }
        return null;
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
