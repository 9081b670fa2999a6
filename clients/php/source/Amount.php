<?php

declare(strict_types=1);

namespace Payments;

/** To reckon with amounts: exactly, in whole hundredths. */
final class Amount
{
    /** Hundredths: `49.90` is 4990. */
    public static function toMinor(string $amount): int
    {
        if (preg_match('/^(-?)(\d{1,16})(?:\.(\d{1,2}))?$/D', $amount, $parts) !== 1) {
            throw new InvalidArgument('amount', json_encode($amount) . ' is no amount.');
        }
        return (int) ($parts[1] . $parts[2] . str_pad($parts[3] ?? '', 2, '0'));
    }

    /** The amount of so many hundredths: 4990 is `49.90`. */
    public static function fromMinor(int $minor): string
    {
        $digits = str_pad(ltrim((string) $minor, '-'), 3, '0', STR_PAD_LEFT);
        return ($minor < 0 ? '-' : '') . substr($digits, 0, -2) . '.' . substr($digits, -2);
    }
}
