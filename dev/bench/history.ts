// Histories of transactions, made at once: rows a second apart, up to HISTORY_END.

import { Client } from 'pg';

const HISTORY_END = Date.parse('2026-01-01T00:00:00Z');

export function instantBefore(rows: number): string {
  return new Date(HISTORY_END - rows * 1000).toISOString();
}

export async function fillHistory(owner_url: string, owner: string, rows: number): Promise<void> {
  const client = new Client({ connectionString: owner_url });
  await client.connect();
  try {
    await client.query(
      `insert into transactions (user_id, environment, type, status, direction, currency,
         amount_minor, fee_minor, balance_after_minor, reference, counterparty, created_at,
         json)
       select $1::uuid, 'sandbox', 'transfer_in', 'simulated', 'in', 'XOF', 10000, 0, 10000,
              'TRF-BENCH' || n, 'bench', $3::timestamptz - n * interval '1 second', ''
         from generate_series(1, $2::int) n`,
      [owner, rows, new Date(HISTORY_END)],
    );
    await client.query(`update transactions t set json = transaction_json(t) where json = ''`);
    await client.query('vacuum (full, analyze) transactions');
  } finally {
    await client.end();
  }
}
