<?php

// Written by npm run clients from api/openapi.json.

declare(strict_types=1);

namespace Payments\Generated;

use Payments\Core;
use Payments\Page;

/**
 * @phpstan-import-type ListStatementsParams from Models
 * @phpstan-import-type Statement from Models
 * @phpstan-import-type StatementRow from Models
 * @phpstan-import-type StatementRowList from Models
 */
final class StatementsResource
{
    public function __construct(private readonly Core $core)
    {
    }

    /**
     * The monthly statements, newest first. One for each wallet and month (of UTC) since the
     * account was made; months that operators have moved to their archive are left out. The
     * running month is there with what it has so far. Each closing balance is the opening
     * balance of the next month.
     *
     * @param ListStatementsParams $query
     * @param array<string, string> $headers sent with each try
     * @return Page<StatementRowList, StatementRow>
     */
    public function list(array $query = [], array $headers = []): Page
    {
        return $this->core->list('statements', 'cursor', '/statements', ['query' => $query, 'headers' => $headers]);
    }

    /**
     * A monthly statement: JSON, CSV or PDF. All that moved the wallet in the month, oldest
     * first; what was simulated moved nothing and is left out. As CSV a file comes with a line
     * for the opening balance, one for each transaction with the balance after it, and one for
     * the closing balance; as PDF a document to print, in French if `Accept-Language` prefers
     * it, which lists 10,000 transactions at most. A response that could not be finished breaks
     * off. An account can have two at a time.
     *
     * @param array<string, string> $headers sent with each try
     * @return Statement
     */
    public function retrieve(string $currency, string $month, array $headers = []): array
    {
        return $this->core->call('GET', '/statements/{currency}/{month}', ['path' => ['currency' => $currency, 'month' => $month], 'headers' => $headers]);
    }

    /**
     * A monthly statement: JSON, CSV or PDF, as CSV. All that moved the wallet in the month,
     * oldest first; what was simulated moved nothing and is left out. As CSV a file comes with a
     * line for the opening balance, one for each transaction with the balance after it, and one
     * for the closing balance; as PDF a document to print, in French if `Accept-Language`
     * prefers it, which lists 10,000 transactions at most. A response that could not be finished
     * breaks off. An account can have two at a time.
     *
     * @param array<string, string> $headers sent with each try
     * @return string
     */
    public function retrieveCsv(string $currency, string $month, array $headers = []): string
    {
        return $this->core->file('/statements/{currency}/{month}', 'text/csv', ['path' => ['currency' => $currency, 'month' => $month], 'headers' => $headers]);
    }

    /**
     * A monthly statement: JSON, CSV or PDF, as PDF. All that moved the wallet in the month,
     * oldest first; what was simulated moved nothing and is left out. As CSV a file comes with a
     * line for the opening balance, one for each transaction with the balance after it, and one
     * for the closing balance; as PDF a document to print, in French if `Accept-Language`
     * prefers it, which lists 10,000 transactions at most. A response that could not be finished
     * breaks off. An account can have two at a time.
     *
     * @param array<string, string> $headers sent with each try
     * @return string
     */
    public function retrievePdf(string $currency, string $month, array $headers = []): string
    {
        return $this->core->file('/statements/{currency}/{month}', 'application/pdf', ['path' => ['currency' => $currency, 'month' => $month], 'headers' => $headers]);
    }
}
