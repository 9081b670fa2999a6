<?php

// For a plain folder: `require 'payments-client/autoload.php';`. Composer has its own.

declare(strict_types=1);

spl_autoload_register(static function (string $class): void {
    if (!str_starts_with($class, 'Payments\\')) {
        return;
    }
    $file = __DIR__ . '/source/' . strtr(substr($class, strlen('Payments\\')), '\\', '/') . '.php';
    if (is_file($file)) {
        require $file;
    }
});
