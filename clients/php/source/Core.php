<?php

declare(strict_types=1);

namespace Payments;

use Payments\Generated\Constants;

/**
 * One call: its key, its tries, and the question what became of it. See CONTRIBUTING.md beside the clients.
 *
 * @internal
 *
 * @phpstan-type Given array{path?: array<string, string>, query?: array<string, mixed>, body?: array<string, mixed>|null, headers?: array<string, string>}
 * @phpstan-type Received array{status: int, headers: array<string, string>, body: array<string, mixed>|string}
 */
final class Core
{
    private const NOTHING_GIVEN = ['path' => [], 'query' => [], 'body' => null, 'headers' => []];
    private const FIRST_PAUSE = 0.5;
    private const LONGEST_PAUSE = 8;
    /** How often the outcome of a key is asked for. */
    private const QUESTIONS = 4;
    /** The part of the deadline that is kept for them. */
    private const KEPT_FOR_QUESTIONS = 1 / 6;
    private const HEADER = '/^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/D';
    /** Decided before the key is looked at, so they say nothing about an earlier try. */
    private const BEFORE_THE_KEY = [401, 403, 408, 429];
    private const TRIED_AGAIN = [429, 502, 503, 504];

    private const BASE_URL = '~^(https?)://([\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?(?:/[^\s?#\\\\]*)?$~Di';
    private const LOOPBACK = '~^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$~Di';
    private const JSON = 'application/json';
    private const OWN_HEADERS = ['accept', 'authorization', 'content-type', 'idempotency-key', 'user-agent'];
    private const DAY = 86_400;

    public ?Response $lastResponse = null;
    private readonly string $baseUrl;
    private readonly ?\Closure $log;
    /** A closure, which nothing that prints the client looks into. */
    private readonly \Closure $apiKey;

    public function __construct(
        #[\SensitiveParameter] string $apiKey,
        string $baseUrl,
        bool $allowHttp,
        private readonly int $retries,
        private readonly float $timeout,
        private readonly float $deadline,
        ?callable $log,
        private readonly Transport $transport,
        private readonly Surroundings $around,
    ) {
        if (preg_match(self::HEADER, $apiKey) !== 1) {
            throw new InvalidArgument('api_key', 'The API key is missing, or is not one line of ASCII.');
        }
        self::checkBaseUrl($baseUrl, $allowHttp);
        self::checkWithin('retries', $retries, 0, 100);
        self::checkWithin('timeout', $timeout, 0.001, self::DAY);
        self::checkWithin('deadline', $deadline, 0.001, self::DAY);
        $this->apiKey = static fn (): string => $apiKey;
        $this->baseUrl = rtrim($baseUrl, '/');
        $this->log = $log === null ? null : $log(...);
    }

    /** @return array<string, mixed> */
    public function __debugInfo(): array
    {
        return ['baseUrl' => $this->baseUrl];
    }

    /**
     * @param Given $given
     * @return array<string, mixed>
     */
    public function call(string $http, string $template, array $given, ?string $keyed = null, ?string $key = null): array
    {
        $end = $this->around->now() + $this->deadline;
        if ($keyed === null) {
            return $this->tries($this->request($http, $template, $given), $end)['body'];
        }
        $key ??= self::uuid();
        if (preg_match(self::HEADER, $key) !== 1) {
            $message = 'An Idempotency-Key is one line of at most 255 printable ASCII characters, with no space at its ends.';
            throw new InvalidArgument('idempotency_key', $message);
        }
        $request = $this->request($http, $template, $given, $keyed, $key);
        return $this->onceForAll($request, $keyed, $key, $end)['body'];
    }

    /** @param Given $given */
    public function file(string $template, string $accept, array $given): string
    {
        $end = $this->around->now() + $this->deadline;
        return $this->tries($this->request('GET', $template, $given, accept: $accept), $end)['body'];
    }

    /**
     * @param Given $given
     * @return Page<array<string, mixed>, mixed>
     */
    public function list(string $items, ?string $cursor, string $template, array $given): Page
    {
        $read = function (array $more) use ($template, $given): array {
            $query = array_merge($given['query'] ?? [], $more);
            return $this->call('GET', $template, ['query' => $query] + $given);
        };
        $next = static fn (string $from): array => $read([$cursor => $from]);
        return new Page($read([]), $items, $cursor === null ? null : $next);
    }

    /** @param Given $given */
    private function request(string $http, string $template, array $given, ?string $keyed = null, ?string $key = null, string $accept = self::JSON): Request
    {
        ['path' => $path, 'query' => $query, 'body' => $body, 'headers' => $headers] = $given + self::NOTHING_GIVEN;
        $sent = ["Accept: $accept", 'User-Agent: payments-client-php/' . Constants::VERSION];
        if ($body !== null) {
            $sent[] = 'Content-Type: application/json';
        }
        if ($key !== null) {
            $sent[] = "Idempotency-Key: $key";
        }
        foreach ($headers as $name => $value) {
            if (preg_match('/^[\w-]+$/D', (string) $name) !== 1 || preg_match('/[\r\n\0]/', $value) === 1) {
                throw new InvalidArgument('headers', "The header $name is not one line.");
            }
            if (in_array(strtolower($name), self::OWN_HEADERS, true)) {
                throw new InvalidArgument('headers', "$name is a header of the client's own.");
            }
            $sent[] = "$name: $value";
        }
        $filters = [];
        foreach ($query as $name => $value) {
            $filters[$name] = match (true) {
                is_bool($value) => $value ? 'true' : 'false',
                $value instanceof \DateTimeInterface => $value->format('Y-m-d\TH:i:s.vP'),
                default => $value,
            };
        }
        $address = $this->baseUrl . self::fill($template, $path);
        $question = http_build_query($filters, '', '&', PHP_QUERY_RFC3986);
        $text = $body === null ? null : Json::write($body);
        return new Request($http, $template, $keyed, $address . ($question === '' ? '' : "?$question"), $sent, $text, $accept);
    }

    /**
     * All tries, and the question about the outcome when no try has told it.
     *
     * @return Received
     */
    private function onceForAll(Request $request, string $keyed, string $key, float $end): array
    {
        $isUnknown = false;
        try {
            return $this->tries($request, $end - $this->deadline * self::KEPT_FOR_QUESTIONS, $isUnknown);
        } catch (\Throwable $error) {
            if (!$isUnknown || self::isSettled($error)) {
                throw $error;
            }
            // What is not the client's own comes of a transport, or of a handler of signals that breaks the call off.
            try {
                $outcome = $error instanceof PaymentsError ? $this->ask($keyed, $key, $end) : 'unknown';
            } catch (\Throwable) {
                $outcome = 'unknown';
            }
            if ($outcome === 'nothing') {
                throw $error->with('The service was asked since: nothing was carried out.');
            }
            if ($outcome === 'unknown') {
                throw new OutcomeUnknown($key, $keyed, $error);
            }
            return $outcome['status'] < 300 ? $outcome : throw self::refusal($outcome['status'], [], $outcome['body']);
        }
    }

    /** @return Received */
    private function tries(Request $request, float $end, bool &$isUnknown = false): array
    {
        for ($count = 1;; $count++) {
            try {
                return $this->send($request, $count, $end);
            } catch (PaymentsError $error) {
                $isUnknown = $isUnknown || self::leavesUnknown($error);
                $pause = $this->pauseAfter($error, $count);
                if ($count > $this->retries || !self::mayRepeat($error, $request) || $this->around->now() + $pause >= $end) {
                    throw $error;
                }
            } catch (\Throwable $error) {
                $isUnknown = true;
                throw $error;
            }
            $this->pause($request, $pause, $count);
        }
    }

    /** @return Received|'nothing'|'unknown' */
    private function ask(string $keyed, string $key, float $end): array|string
    {
        $request = $this->request('GET', '/idempotency-keys/{key}', ['path' => ['key' => $key], 'query' => ['operation' => $keyed]]);
        for ($count = 1;; $count++) {
            $error = null;
            try {
                $this->log($request, ['event' => 'ask', 'try' => $count]);
                $kept = $this->send($request, $count, $end)['body'] + ['state' => null, 'http_status' => null, 'response' => null];
                if ($kept['state'] === 'completed' && is_int($kept['http_status']) && is_array($kept['response'])) {
                    return ['status' => $kept['http_status'], 'headers' => [], 'body' => $kept['response']];
                }
            } catch (PaymentsError $error) {
                if ($error instanceof ApiError && $error->errorCode === 'idempotency_key_not_found') {
                    return 'nothing';
                }
                if (!self::mayRepeat($error, $request) && !self::leavesUnknown($error)) {
                    return 'unknown';
                }
            }
            $pause = $this->pauseAfter($error, $count);
            if ($count === self::QUESTIONS || $this->around->now() + $pause >= $end) {
                return 'unknown';
            }
            $this->pause($request, $pause, $count);
        }
    }

    private function pause(Request $request, float $seconds, int $count): void
    {
        $this->log($request, ['event' => 'pause', 'try' => $count, 'wait_ms' => (int) round($seconds * 1000)]);
        $this->around->sleep($seconds);
    }

    /** What the service asks for, and a jitter that keeps callers apart. */
    private function pauseAfter(?PaymentsError $error, int $count): float
    {
        $asked = $error instanceof ApiError ? $error->retryAfter ?? 0 : 0;
        $grown = min(self::LONGEST_PAUSE, self::FIRST_PAUSE * 2 ** ($count - 1));
        return $asked + $grown * (0.5 + $this->around->random() / 2);
    }

    /**
     * One try.
     *
     * @return Received
     * @throws ApiError when it is refused
     * @throws ConnectionError when the response was lost
     */
    private function send(Request $request, int $count, float $end): array
    {
        $this->log($request, ['event' => 'request', 'try' => $count]);
        $response = $this->transport->send(
            $request->http,
            $request->url,
            ['Authorization: Bearer ' . ($this->apiKey)(), ...$request->headers],
            $request->body,
            min($this->timeout, $end - $this->around->now()),
        );
        if (isset($response['failure'])) {
            $this->log($request, ['event' => 'failure', 'try' => $count]);
            $message = "The service could not be reached, or its response was lost. {$response['failure']}.";
            throw new ConnectionError($message, $response['is_unsent']);
        }
        ['status' => $status, 'headers' => $headers] = $response;
        $this->lastResponse = new Response($status, $headers);
        $id = $headers['x-request-id'] ?? null;
        $this->log($request, ['event' => 'response', 'try' => $count, 'status' => $status, 'request_id' => $id]);
        $isSuccess = $status >= 200 && $status < 300;
        $isFile = $isSuccess && $request->accept !== self::JSON;
        if ($isFile) {
            $body = str_starts_with($headers['content-type'] ?? '', $request->accept) ? $response['body'] : null;
        } else {
            $body = Json::parseOrNull($response['body']);
        }
        if (!$isSuccess) {
            throw self::refusal($status, $headers, $body);
        }
        if (!is_array($body) && !($isFile && is_string($body))) {
            $this->log($request, ['event' => 'failure', 'try' => $count]);
            throw new ConnectionError('The response did not arrive whole, or is not the service’s.');
        }
        return ['status' => $status, 'headers' => $headers, 'body' => $body];
    }

    /** @param array<string, mixed> $entry */
    private function log(Request $request, array $entry): void
    {
        if ($this->log === null) {
            return;
        }
        try {
            ($this->log)(['method' => $request->http, 'path' => $request->path] + $entry);
        } catch (\Throwable) {
            // A log that fails must not hide what became of the money.
        }
    }

    /** @param array<string, string> $headers */
    private static function refusal(int $status, array $headers, mixed $body): ApiError
    {
        $error = is_array($body) && is_array($body['error'] ?? null) ? $body['error'] : null;
        $text = static fn (string $name): ?string => is_string($error[$name] ?? null) ? $error[$name] : null;
        $waits = $headers['retry-after'] ?? '';
        return new ApiError(
            code: $text('code') ?? 'unexpected_response',
            status: $status,
            message: $text('message') ?? 'The response has not the form of the service’s errors.',
            retryable: $error === null ? $status === 429 || $status >= 500 : ($error['retryable'] ?? null) === true,
            param: $text('param'),
            requestId: $text('request_id') ?? $headers['x-request-id'] ?? null,
            retryAfter: preg_match('/^\d{1,6}$/D', $waits) === 1 ? (int) $waits : null,
            details: $error['details'] ?? null,
            docUrl: $text('doc_url'),
        );
    }

    /** A POST without a key is repeated only when it certainly had no effect. */
    private static function mayRepeat(PaymentsError $error, Request $request): bool
    {
        $isSafe = $request->http !== 'POST' || $request->keyed !== null;
        if ($error instanceof ConnectionError) {
            return $isSafe || $error->isUnsent;
        }
        if (!$error instanceof ApiError || !$error->retryable) {
            return false;
        }
        $isTriedAgain = in_array($error->status, self::TRIED_AGAIN, true) || self::isInProgress($error);
        return $error->status === 429 || ($isSafe && $isTriedAgain);
    }

    private static function leavesUnknown(PaymentsError $error): bool
    {
        if ($error instanceof ConnectionError) {
            return !$error->isUnsent;
        }
        return $error instanceof ApiError && (($error->status >= 500 && $error->retryable) || self::isInProgress($error));
    }

    /** Whether the refusal tells the outcome of the key, and not only of this try. */
    private static function isSettled(\Throwable $error): bool
    {
        return $error instanceof ApiError
            && $error->status >= 400
            && $error->status < 500
            && !self::isInProgress($error)
            && !in_array($error->status, self::BEFORE_THE_KEY, true);
    }

    private static function isInProgress(ApiError $error): bool
    {
        return $error->errorCode === 'idempotency_in_progress';
    }

    /** @param array<string, string> $parameters */
    private static function fill(string $template, array $parameters): string
    {
        $fill = static function (array $found) use ($parameters): string {
            [, $name] = $found;
            $value = $parameters[$name];
            if (in_array($value, ['', '.', '..'], true)) {
                throw new InvalidArgument($name, "$name is the name of one thing; this is \"$value\".");
            }
            return rawurlencode($value);
        };
        return (string) preg_replace_callback('/\{(\w+)\}/', $fill, $template);
    }

    private static function checkWithin(string $name, float $value, float $least, float $most): void
    {
        if (!($value >= $least && $value <= $most)) {
            throw new InvalidArgument($name, "$name is a number from $least to $most; this is $value.");
        }
    }

    private static function checkBaseUrl(string $url, bool $allowHttp): void
    {
        if (preg_match(self::BASE_URL, $url, $parts) !== 1 || (parse_url($url)['port'] ?? 443) === 0 || parse_url($url) === false) {
            $message = 'The base URL is the address of the API, such as https://pay.example/api/public/v1, without a user or a query.';
            throw new InvalidArgument('base_url', $message);
        }
        if (strtolower($parts[1]) === 'http' && !$allowHttp && preg_match(self::LOOPBACK, $parts[2]) !== 1) {
            $message = 'The base URL begins with https://: by http anybody in between reads the API key. Where nobody is in between, give allowHttp: true.';
            throw new InvalidArgument('base_url', $message);
        }
    }

    private static function uuid(): string
    {
        $bytes = random_bytes(16);
        $bytes[6] = chr(ord($bytes[6]) & 0x0f | 0x40);
        $bytes[8] = chr(ord($bytes[8]) & 0x3f | 0x80);
        return vsprintf('%s%s-%s-%s-%s-%s%s%s', str_split(bin2hex($bytes), 4));
    }
}
