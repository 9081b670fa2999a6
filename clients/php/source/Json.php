<?php

declare(strict_types=1);

namespace Payments;

use Payments\Generated\Constants;

/**
 * JSON in which an amount is never a float: a decimal text here, a number there, digit for digit. Which names are
 * amounts, the document of the API says; `metadata` is the merchant's own and is not touched.
 *
 * @internal
 */
final class Json
{
    private const METADATA = 'metadata';
    private const AMOUNT = '/^(?:0|[1-9]\d*)(?:\.\d{1,2})?$/D';
    /** A string, with the colon of a key; a number; a bracket. */
    private const TOKENS = '/("[^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+")(\s*+:)?|(-?\d++(?:\.\d++)?(?:[eE][+-]?\d++)?)|([[\]{}])/s';
    private const FLAGS = JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_LINE_TERMINATORS;

    /**
     * Every amount, and every other number with a fraction, becomes text of at least two decimals.
     *
     * @throws \JsonException
     */
    public static function parse(string $text): mixed
    {
        $outer = [];
        $key = '';
        $isPlain = false;
        $exact = preg_replace_callback(
            self::TOKENS,
            static function (array $token) use (&$outer, &$key, &$isPlain): string {
                [$all, $string, $colon, $number, $bracket] = $token;
                if ($colon !== null) {
                    $key = (string) json_decode($string);
                }
                if ($bracket === '{' || $bracket === '[') {
                    $outer[] = [$key, $isPlain];
                    $isPlain = $isPlain || $key === self::METADATA;
                } elseif ($bracket !== null) {
                    [$key, $isPlain] = array_pop($outer) ?? ['', false];
                }
                if ($number === null || $isPlain) {
                    return $all;
                }
                $isInteger = filter_var($number, FILTER_VALIDATE_INT) !== false;
                $isExact = isset(Constants::AMOUNT_NAMES[$key]) || !$isInteger;
                return $isExact ? '"' . self::withDecimals($number) . '"' : $number;
            },
            $text,
            flags: PREG_UNMATCHED_AS_NULL,
        );
        if ($exact === null) {
            throw new \JsonException(preg_last_error_msg());
        }
        return json_decode($exact, true, 512, JSON_THROW_ON_ERROR);
    }

    /** What is no JSON is not the service's; the status decides what becomes of it. */
    public static function parseOrNull(string $text): mixed
    {
        try {
            return self::parse($text);
        } catch (\JsonException) {
            return null;
        }
    }

    private static function withDecimals(string $number): string
    {
        if (preg_match('/^(-?\d+)(?:\.(\d+))?$/D', $number, $parts) !== 1) {
            return $number;
        }
        return $parts[1] . '.' . str_pad($parts[2] ?? '', 2, '0');
    }

    /** @throws InvalidArgument when an amount is neither a decimal text nor an int */
    public static function write(mixed $value, string $key = '', string $path = ''): string
    {
        if ($value instanceof \JsonSerializable) {
            $value = $value->jsonSerialize();
        } elseif ($value instanceof \DateTimeInterface) {
            $value = $value->format('Y-m-d\TH:i:s.vP');
        }
        $isObject = is_object($value) && !$value instanceof \UnitEnum;
        if ($value !== null && $key !== self::METADATA && (is_array($value) || $isObject)) {
            return self::writeAll($isObject ? get_object_vars($value) : $value, $isObject, $key, $path);
        }
        $isAmount = isset(Constants::AMOUNT_NAMES[$key]) || isset(Constants::MIXED_NAMES[$key]);
        if ($isAmount && $value !== null) {
            return self::writeAmount($value, $path);
        }
        try {
            return json_encode($value === [] ? (object) [] : $value, self::FLAGS);
        } catch (\JsonException $error) {
            throw new InvalidArgument($path, "$path cannot be sent: {$error->getMessage()}.");
        }
    }

    /** @param array<mixed> $values */
    private static function writeAll(array $values, bool $isObject, string $key, string $path): string
    {
        if ($values === []) {
            return $isObject || $path === '' || isset(Constants::OBJECT_NAMES[$key]) ? '{}' : '[]';
        }
        $isList = !$isObject && array_is_list($values);
        $texts = [];
        foreach ($values as $name => $value) {
            $inner = $path === '' ? (string) $name : "$path.$name";
            $texts[] = $isList
                ? self::write($value, $key, "{$path}[$name]")
                : json_encode((string) $name, self::FLAGS) . ':' . self::write($value, (string) $name, $inner);
        }
        return $isList ? '[' . implode(',', $texts) . ']' : '{' . implode(',', $texts) . '}';
    }

    private static function writeAmount(mixed $value, string $path): string
    {
        if (is_string($value) && preg_match(self::AMOUNT, $value) === 1) {
            return $value;
        }
        if (is_int($value) && $value >= 0) {
            return (string) $value;
        }
        $what = is_string($value) ? (string) json_encode($value) : 'of the type ' . get_debug_type($value);
        $message = 'is a decimal text, such as "5000" or "49.90", with at most two decimals, or an int';
        throw new InvalidArgument($path, "$path $message; this is $what.");
    }
}
