<?php

declare(strict_types=1);

namespace Payments;

/**
 * The first page of a list, and a way to all the others.
 *
 * @template TData of array<string, mixed>
 * @template TRow
 */
final class Page
{
    /**
     * @param TData $data the page as the API names it: its rows, `has_more` and `next_cursor`
     * @param \Closure(string): array<string, mixed> $next
     */
    public function __construct(
        public readonly array $data,
        private readonly string $items,
        private readonly ?\Closure $next,
    ) {
    }

    /**
     * Every row, page after page.
     *
     * @return \Generator<int, TRow>
     */
    public function autoPaging(): \Generator
    {
        $page = $this->data;
        $before = null;
        for ($index = 0;;) {
            foreach ($page[$this->items] ?? [] as $row) {
                yield $index++ => $row;
            }
            $cursor = $page['next_cursor'] ?? null;
            if (($page['has_more'] ?? false) !== true || !is_string($cursor) || $this->next === null) {
                return;
            }
            if ($cursor === $before) {
                throw new ApiError('unexpected_response', 200, 'The next page is the one that was just read.', false);
            }
            $before = $cursor;
            $page = ($this->next)($cursor);
        }
    }
}
