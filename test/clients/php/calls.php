<?php

// A program as a merchant writes it with the official client, run by test/clients/run.sh against the service, by curl
// and by streams. It ends with 255 when something differs.

declare(strict_types=1);

use Payments\Amount;
use Payments\ApiError;
use Payments\OutcomeUnknown;
use Payments\PaymentsClient;
use Payments\Transport;

require __DIR__ . '/payments-client/autoload.php';

$key = getenv('PAYMENTS_KEY');
$logged = [];
$client = new PaymentsClient($key, getenv('PAYMENTS_URL'), log: static function (array $entry) use (&$logged): void {
    $logged[] = $entry;
    throw new RuntimeException('A log that fails.');
});

function ensure(bool $isSo, mixed $what): void
{
    $isSo || throw new RuntimeException('Not so: ' . json_encode($what));
}

$created = $client->paymentIntents->create([
    'amount' => '49.90',
    'currency' => 'EUR',
    'metadata' => ['order' => 'A-17', 'weight' => 1.5],
]);
ensure($created['amount'] === '49.90', $created);
// Pays on the simulator's checkout as a customer does.
$form = ['Content-Type: application/x-www-form-urlencoded'];
$answer = (new Transport())->send('POST', $created['checkout_url'], $form, 'action=pay', 30);
ensure($answer['status'] < 400, $answer);
for ($tries = 0; $tries < 600; $tries++) {
    $paid = $client->paymentIntents->retrieve($created['id']);
    if ($paid['status'] === 'succeeded') {
        break;
    }
    usleep(100_000);
}
ensure($paid['status'] === 'succeeded' && $paid['metadata'] === ['order' => 'A-17', 'weight' => 1.5], $paid);
ensure($paid['last_payment_error'] === null && Amount::toMinor($paid['amount']) === 4990, $paid);
ensure(Amount::fromMinor(Amount::toMinor($paid['net_amount'])) === $paid['net_amount'], $paid);

$listed = $client->paymentIntents->list(['status' => 'succeeded', 'limit' => 1]);
ensure(count($listed->data['payment_intents']) === 1, $listed->data);
$ids = [];
foreach ($listed->autoPaging() as $index => $row) {
    $ids[$index] = $row['id'];
    if (count($ids) === 3) {
        break;
    }
}
ensure(in_array($paid['id'], $ids, true), $ids);
$history = $client->transactions->list(['reference' => $paid['reference'], 'direction' => 'in'])->data;
ensure($history['transactions'][0]['id'] === $paid['transaction_id'], $history);

$refunded = $client->refunds->create($paid['short_code'], ['amount' => '9.90', 'reason' => 'one']);
ensure($refunded['payment_intent_id'] === $paid['id'] && $refunded['amount'] === '9.90', $refunded);

// An empty array is an object where the API has one.
$link = $client->paymentLinks->create(['title' => 'Gift', 'currency' => 'XOF', 'open_amount' => [], 'metadata' => []]);
ensure($client->paymentLinks->update($link['id'], ['active' => false])['status'] === 'inactive', $link);

$idempotencyKey = 'php/' . hrtime(true);
$order = ['to_username' => 'customer', 'currency' => 'XOF', 'amount' => '5000'];
$sent = $client->transfers->create($order, idempotencyKey: $idempotencyKey);
ensure($sent['amount'] === '5000.00' && $sent['status'] === 'simulated', $sent);
$again = $client->transfers->create($order, idempotencyKey: $idempotencyKey);
ensure($again['reference'] === $sent['reference'], $again);
$response = $client->lastResponse();
ensure($response->status === 200 && $response->headers['idempotent-replayed'] === 'true' && $response->requestId !== null, $response);
$csv = $client->transactions->listCsv(['direction' => 'in']);
ensure(str_contains($csv, $paid['reference']), $csv);
$kept = $client->idempotencyKeys->retrieve($idempotencyKey, ['operation' => 'transfer']);
ensure($kept['reference'] === $sent['reference'], $kept);

// Headers as `$_SERVER` has them, behind a rewrite, and a secret as a file has it.
$secret = 'whsec_' . str_repeat('MDEy', 8);
$signed = $client->webhooks->sign('{"id":"evt-1"}', $secret);
foreach ([['HTTP_'], ['REDIRECT_HTTP_'], ['HTTP_', 'REDIRECT_HTTP_']] as $prefixes) {
    $server = ['REQUEST_METHOD' => 'POST'];
    foreach ($signed as $name => $value) {
        foreach ($prefixes as $prefix) {
            $server[$prefix . strtoupper(strtr($name, '-', '_'))] = $value;
        }
    }
    ensure($client->webhooks->verify('{"id":"evt-1"}', $server, "$secret\n")['id'] === 'evt-1', $server);
}

// A transport that throws, as a handler of signals may throw into one: the order may have been carried out.
$lost = new class () extends Transport {
    public function send(string $method, string $url, #[SensitiveParameter] array $headers, ?string $body, float $seconds): array
    {
        parent::send($method, $url, $headers, $body, $seconds);
        throw new LogicException('Broken off.');
    }
};
$unknown = null;
try {
    (new PaymentsClient($key, getenv('PAYMENTS_URL'), transport: $lost))->transfers->create($order);
} catch (OutcomeUnknown $unknown) {
}
ensure($unknown?->getPrevious() instanceof LogicException, $unknown);
$kept = $client->idempotencyKeys->retrieve($unknown->key, ['operation' => 'transfer']);
ensure($kept['state'] === 'completed', $kept);

$refused = null;
try {
    $client->transfers->create(['to_username' => 'nobody-of-this-name', 'currency' => 'XOF', 'amount' => '5000']);
} catch (ApiError $refused) {
}
ensure($refused?->errorCode === 'recipient_not_found' && $refused->getCode() === 404 && !$refused->retryable && $refused->requestId !== null, $refused);
$printed = print_r([$logged, $refused, $client], true) . var_export($client, true) . json_encode($client);
ensure(count($logged) > 10 && !str_contains($printed, $key), 'no log and no print shows the key');
