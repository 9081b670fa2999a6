<?php

// Written by npm run clients from api/openapi.json.

declare(strict_types=1);

namespace Payments\Generated;

use Payments\Core;
use Payments\Page;

/**
 * @phpstan-import-type ListTransactionsParams from Models
 * @phpstan-import-type Transaction from Models
 * @phpstan-import-type TransactionList from Models
 */
final class TransactionsResource
{
    public function __construct(private readonly Core $core)
    {
    }

    /**
     * The history, newest first; all of it as CSV. Pass `next_cursor` as `cursor` to get the
     * next page; `has_more` says whether there is one. Rows that are added meanwhile are neither
     * skipped nor repeated on the pages that follow. As CSV all rows that match come as one
     * file, whatever the `limit`: the columns have the names of the fields, amounts two
     * decimals, and a cell that a spreadsheet would run as a formula a leading apostrophe. A
     * file that could not be finished breaks off. An account can have two files at a time.
     * Operators may have moved the months before a moment to their archive: a last page and a
     * file then name the moment in the header `History-Since`.
     *
     * @param ListTransactionsParams $query
     * @param array<string, string> $headers sent with each try
     * @return Page<TransactionList, Transaction>
     */
    public function list(array $query = [], array $headers = []): Page
    {
        return $this->core->list('transactions', 'cursor', '/transactions', ['query' => $query, 'headers' => $headers]);
    }

    /**
     * The history, newest first; all of it as CSV, as CSV. Pass `next_cursor` as `cursor` to get
     * the next page; `has_more` says whether there is one. Rows that are added meanwhile are
     * neither skipped nor repeated on the pages that follow. As CSV all rows that match come as
     * one file, whatever the `limit`: the columns have the names of the fields, amounts two
     * decimals, and a cell that a spreadsheet would run as a formula a leading apostrophe. A
     * file that could not be finished breaks off. An account can have two files at a time.
     * Operators may have moved the months before a moment to their archive: a last page and a
     * file then name the moment in the header `History-Since`.
     *
     * @param ListTransactionsParams $query
     * @param array<string, string> $headers sent with each try
     * @return string
     */
    public function listCsv(array $query = [], array $headers = []): string
    {
        return $this->core->file('/transactions', 'text/csv', ['query' => $query, 'headers' => $headers]);
    }

    /**
     * One transaction. By its id. Transactions of other users and of the other environment are
     * unknown.
     *
     * @param array<string, string> $headers sent with each try
     * @return Transaction
     */
    public function retrieve(string $id, array $headers = []): array
    {
        return $this->core->call('GET', '/transactions/{id}', ['path' => ['id' => $id], 'headers' => $headers]);
    }
}
