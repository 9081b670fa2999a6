<?php

// A shop with one book: `PAYMENTS_KEY=… PAYMENTS_URL=… php -S 127.0.0.1:8000 examples/checkout.php` in the
// folder of the client, then open http://127.0.0.1:8000/buy.

declare(strict_types=1);

use Payments\PaymentsClient;

require __DIR__ . '/../autoload.php';

$client = new PaymentsClient(getenv('PAYMENTS_KEY'), getenv('PAYMENTS_URL'), deadline: 20);
$shop = 'http://' . $_SERVER['HTTP_HOST'];
// The payment of each order; in earnest this is a column of your table of orders.
$orders = sys_get_temp_dir() . '/orders-of-the-shop';

if (parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH) === '/buy') {
    $order = bin2hex(random_bytes(8));
    $intent = $client->paymentIntents->create([
        'amount' => '49.90',
        'currency' => 'EUR',
        'description' => 'One book',
        'metadata' => ['order' => $order],
        'return_url' => "$shop/thanks?order=$order",
        'cancel_url' => "$shop/basket",
    ], idempotencyKey: $order); // however often this order is asked to be paid, it has one link
    is_dir($orders) || mkdir($orders, 0700);
    file_put_contents("$orders/$order", $intent['id']);
    header("Location: {$intent['pay_url']}", true, 303);
    exit;
}

// Anybody can open the return page: only the service says whether it is paid.
$order = $_GET['order'] ?? '';
if (!is_string($order) || !preg_match('/^[0-9a-f]{16}$/D', $order) || !is_file("$orders/$order")) {
    http_response_code(404);
    exit('There is no such order.');
}
$payment = $client->paymentIntents->retrieve(file_get_contents("$orders/$order"));
echo $payment['status'] === 'succeeded' ? 'Thank you for your order.' : "The payment is {$payment['status']}.";
