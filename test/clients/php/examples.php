<?php

// Runs the programs of the client's README and its examples as a shop and its customer would, in the folder to which
// the client was copied. It ends with 255 when something differs.

declare(strict_types=1);

use Payments\PaymentsClient;
use Payments\Transport;

require __DIR__ . '/payments-client/autoload.php';

$client = new PaymentsClient(getenv('PAYMENTS_KEY'), getenv('PAYMENTS_URL'));

runReadme();
buy($client);
receive($client);

/** The first two programs stand alone. */
function runReadme(): void
{
    preg_match_all('/```php\n<\?php\n(.*?)```/s', file_get_contents(__DIR__ . '/payments-client/README.md'), $programs);
    ensure(count($programs[1]) === 2, $programs);
    foreach ($programs[1] as $program) {
        ensure(count(array_filter(explode("\n", $program))) <= 10, $program);
        $process = proc_open([PHP_BINARY, '-r', $program], [1 => ['pipe', 'w']], $pipes, __DIR__);
        $said = stream_get_contents($pipes[1]);
        ensure(proc_close($process) === 0 && preg_match('/^TRF-\w+ simulated 5000\.00$|^Wait: open$/D', trim($said)) === 1, $said);
        echo $said, "\n";
    }
}

function buy(PaymentsClient $client): void
{
    $shop = start('checkout.php', []);
    try {
        $bought = request('GET', "{$shop['address']}/buy");
        ensure($bought['status'] === 303, $bought);
        $intent = $client->paymentIntents->retrieve(basename($bought['headers']['location']));
        ensure(request('GET', $intent['return_url'])['body'] === 'The payment is open.', $intent);
        ensure(request('GET', "{$shop['address']}/thanks?order=../../etc/passwd")['status'] === 404, 'another order');
        request('POST', $intent['checkout_url'], ['Content-Type: application/x-www-form-urlencoded'], 'action=pay');
        until(static fn (): bool => request('GET', $intent['return_url'])['body'] === 'Thank you for your order.');
    } finally {
        stop($shop);
    }
}

function receive(PaymentsClient $client): void
{
    $port = freePort();
    $endpoint = $client->webhookEndpoints->create(['url' => "http://127.0.0.1:$port/hook"]);
    $receiver = start('webhook-receiver.php', ['PAYMENTS_WEBHOOK_SECRETS' => $endpoint['secret']], $port);
    try {
        $forged = request('POST', $endpoint['url'], ['webhook-id: 1', 'webhook-timestamp: 1', 'webhook-signature: v1,AAAA'], '{}');
        ensure("{$forged['status']} {$forged['body']}" === '400 wrong_signature', $forged);
        $client->webhookEndpoints->test($endpoint['id'], ['type' => 'payment.succeeded']);
        until(static fn (): bool => preg_match('/ is paid: \d+\.\d\d$/m', file_get_contents($receiver['log'])) === 1);
    } finally {
        stop($receiver);
        $client->webhookEndpoints->delete($endpoint['id']);
    }
}

/** @return array{process: resource, address: string, log: string} */
function start(string $example, array $environment, ?int $port = null): array
{
    $port ??= freePort();
    $log = __DIR__ . "/$example.log";
    $command = [PHP_BINARY, '-S', "127.0.0.1:$port", "payments-client/examples/$example"];
    $process = proc_open($command, [1 => ['file', $log, 'w'], 2 => ['file', $log, 'a']], $pipes, __DIR__, getenv() + $environment);
    $address = "http://127.0.0.1:$port";
    until(static fn (): bool => isset(request('GET', $address)['status']));
    return ['process' => $process, 'address' => $address, 'log' => $log];
}

/** @param array{process: resource} $started */
function stop(array $started): void
{
    proc_terminate($started['process']);
    proc_close($started['process']);
}

function request(string $method, string $url, array $headers = [], ?string $body = null): array
{
    return (new Transport())->send($method, $url, $headers, $body, 30);
}

function ensure(bool $isSo, mixed $what): void
{
    $isSo || throw new RuntimeException('Not so: ' . json_encode($what));
}

function until(Closure $isSo): void
{
    for ($tries = 0; $tries < 600; $tries++) {
        if ($isSo()) {
            return;
        }
        usleep(100_000);
    }
    throw new RuntimeException('It does not become so.');
}

function freePort(): int
{
    $server = stream_socket_server('tcp://127.0.0.1:0');
    $port = (int) substr(strrchr(stream_socket_get_name($server, false), ':'), 1);
    fclose($server);
    return $port;
}
