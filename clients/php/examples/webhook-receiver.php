<?php

// Receives webhooks: `PAYMENTS_WEBHOOK_SECRETS=whsec_… php -S 127.0.0.1:8000 examples/webhook-receiver.php` in
// the folder of the client. During a rotation give both secrets, with a comma between.

declare(strict_types=1);

use Payments\SignatureError;
use Payments\Webhooks;

require __DIR__ . '/../autoload.php';

$secrets = explode(',', getenv('PAYMENTS_WEBHOOK_SECRETS'));
try {
    // The bytes as they came.
    $event = (new Webhooks())->verify(file_get_contents('php://input'), getallheaders(), $secrets);
} catch (SignatureError $error) {
    http_response_code(400);
    exit($error->errorCode);
}
// An event may come twice; in earnest this is a column that is unique.
$done = sys_get_temp_dir() . '/event-' . hash('sha256', $event['id']);
if (!file_exists($done)) {
    error_log(match ($event['type']) {
        'payment.succeeded' => "{$event['data']['reference']} is paid: {$event['data']['amount']}",
        default => "{$event['type']} {$event['id']}",
    });
    touch($done);
}
http_response_code(204);
