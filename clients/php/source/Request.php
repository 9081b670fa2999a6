<?php

declare(strict_types=1);

namespace Payments;

/**
 * What is sent, the same at each try; without the API key, so that nothing that prints it shows the key.
 *
 * @internal
 */
final class Request
{
    /**
     * @param string $path the template of the path, without what stands in it
     * @param string|null $keyed the operation of its Idempotency-Key, when it takes one
     * @param list<string> $headers
     */
    public function __construct(
        public readonly string $http,
        public readonly string $path,
        public readonly ?string $keyed,
        public readonly string $url,
        public readonly array $headers,
        public readonly ?string $body,
        public readonly string $accept,
    ) {
    }
}
