<?php

// Runs the conformance cases: a line of JSON in, a line out (clients/conformance/README.md).

declare(strict_types=1);

use Payments\Page;
use Payments\PaymentsClient;
use Payments\Surroundings;
use Payments\Transport;

require __DIR__ . '/../autoload.php';

error_reporting(E_ALL);
set_error_handler(static fn (int $level, string $message, string $file, int $line) => throw new ErrorException($message, 0, $level, $file, $line));
// Traces with arguments, as a shop's computer may print them.
ini_set('zend.exception_ignore_args', '0');
ini_set('zend.exception_string_param_max_len', '1000');

final class Testing extends Surroundings
{
    private float $now = 0;
    /** @var list<int> */
    public array $waits_ms = [];

    public function __construct(private readonly float $random)
    {
    }

    public function now(): float
    {
        return $this->now;
    }

    public function sleep(float $seconds): void
    {
        $this->waits_ms[] = (int) round($seconds * 1000);
        $this->now += $seconds;
    }

    public function random(): float
    {
        return $this->random;
    }
}

while (($line = fgets(STDIN)) !== false) {
    $case = json_decode($line, true, 512, JSON_THROW_ON_ERROR);
    $testing = new Testing($case['client']['random']);
    $logs = [];
    $throws = ($case['client']['log'] ?? null) === 'throws';
    $log = static function (array $entry) use (&$logs, $throws): void {
        $logs[] = $entry;
        if ($throws) {
            throw new TypeError('The log is full.');
        }
    };
    try {
        $report = ['result' => run($case, $testing, $log)];
    } catch (Throwable $error) {
        $report = ['error' => describe($error)];
    }
    fwrite(STDOUT, json_encode($report + ['waits_ms' => $testing->waits_ms, 'logs' => $logs], JSON_THROW_ON_ERROR) . "\n");
}

function run(#[SensitiveParameter] array $case, Testing $testing, Closure $log): mixed
{
    if (isset($case['verify'])) {
        ['body' => $body, 'headers' => $headers, 'secrets' => $secrets, 'now' => $now] = $case['verify'];
        $client = new PaymentsClient('pay_test_none', 'http://127.0.0.1');
        return $client->webhooks->verify($body, $headers, $secrets, floats($case['verify']['tolerance_seconds'] ?? 300), $now, $case['verify']['allow_untimed'] ?? false);
    }
    $given = $case['client'];
    $client = new PaymentsClient(
        $given['api_key'],
        $given['base_url'],
        retries: $given['retries'] ?? 3,
        timeout: floats($given['timeout_ms'] ?? 30_000) / 1000,
        deadline: floats($given['deadline_ms'] ?? 60_000) / 1000,
        allowHttp: $given['allow_http'] ?? false,
        log: $log,
        transport: new Transport($given['proxy'] ?? null),
        surroundings: $testing,
    );
    $arguments = array_map(floats(...), $case['call']);
    $camel = static fn (string $name): string => lcfirst(str_replace('_', '', ucwords($name, '_')));
    [$resource, $method] = array_map($camel, explode('.', array_shift($arguments)));
    $options = $case['options'] ?? [];
    $named = array_filter(['idempotencyKey' => $options['idempotency_key'] ?? null, 'headers' => $options['headers'] ?? null]);
    $result = $client->$resource->$method(...$arguments, ...$named);
    if (!isset($case['take'])) {
        return $result instanceof Page ? $result->data : $result;
    }
    $rows = [];
    foreach ($result->autoPaging() as $row) {
        $rows[] = $row;
        if (count($rows) === $case['take']) {
            break;
        }
    }
    return $rows;
}

/** `{"$float": 0.3}` is 0.3. */
function floats(mixed $value): mixed
{
    if (!is_array($value)) {
        return $value;
    }
    $named = ['NaN' => NAN, 'Infinity' => INF];
    return isset($value['$float']) ? $named[(string) $value['$float']] ?? (float) $value['$float'] : array_map(floats(...), $value);
}

function describe(Throwable $error): array
{
    // `outcome_unknown` of Payments\OutcomeUnknown, and `api` of Payments\ApiError.
    $words = preg_split('/(?=[A-Z])/', preg_replace('/^Payments.|Error$/', '', $error::class), flags: PREG_SPLIT_NO_EMPTY);
    return [
        'kind' => strtolower(implode('_', $words)),
        'code' => $error->errorCode ?? null,
        'status' => $error->status ?? null,
        'param' => $error->param ?? null,
        'request_id' => $error->requestId ?? null,
        'retryable' => $error->retryable ?? null,
        'is_unsent' => $error->isUnsent ?? null,
        'retry_after' => $error->retryAfter ?? null,
        'details' => $error->details ?? null,
        'key' => $error->key ?? null,
        'operation' => $error->operation ?? null,
        'text' => $error . print_r($error, true),
    ];
}
