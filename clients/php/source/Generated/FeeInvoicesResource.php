<?php

// Written by npm run clients from api/openapi.json.

declare(strict_types=1);

namespace Payments\Generated;

use Payments\Core;
use Payments\Page;

/**
 * @phpstan-import-type FeeInvoice from Models
 * @phpstan-import-type FeeInvoiceList from Models
 * @phpstan-import-type ListFeeInvoicesParams from Models
 */
final class FeeInvoicesResource
{
    public function __construct(private readonly Core $core)
    {
    }

    /**
     * Invoices of fees, newest first. One for each currency and month in which the account bore
     * fees; they were taken when they arose. Pass `next_cursor` as `cursor` to get the next
     * page.
     *
     * @param ListFeeInvoicesParams $query
     * @param array<string, string> $headers sent with each try
     * @return Page<FeeInvoiceList, FeeInvoice>
     */
    public function list(array $query = [], array $headers = []): Page
    {
        return $this->core->list('fee_invoices', 'cursor', '/fee-invoices', ['query' => $query, 'headers' => $headers]);
    }

    /**
     * One invoice: JSON or PDF. It never changes. As PDF a document to print, in French if
     * `Accept-Language` prefers it.
     *
     * @param array<string, string> $headers sent with each try
     * @return FeeInvoice
     */
    public function retrieve(string $number, array $headers = []): array
    {
        return $this->core->call('GET', '/fee-invoices/{number}', ['path' => ['number' => $number], 'headers' => $headers]);
    }

    /**
     * One invoice: JSON or PDF, as PDF. It never changes. As PDF a document to print, in French
     * if `Accept-Language` prefers it.
     *
     * @param array<string, string> $headers sent with each try
     * @return string
     */
    public function retrievePdf(string $number, array $headers = []): string
    {
        return $this->core->file('/fee-invoices/{number}', 'application/pdf', ['path' => ['number' => $number], 'headers' => $headers]);
    }
}
