// The reads' floors, a process of its own: Koa routes that do one query through pg's pool and nothing
// else. `/` is the least of all, `select 1`; `/page` reads what a page of transactions reads.

import Koa from 'koa';
import { Pool } from 'pg';

const pool = new Pool({ connectionString: process.env['DATABASE_URL'], max: 20 });
const PAGE = `select id, type, status, direction, currency, amount_minor, fee_minor, balance_after_minor,
    reference, counterparty, description, related, created_at
  from transactions where user_id = $1 and environment = 'live'
 order by created_at desc limit 26`;

const app = new Koa();
app.use(async (ctx) => {
  if (ctx.path === '/') {
    const { rows } = await pool.query('select 1 as one');
    ctx.body = rows[0];
    return;
  }
  const owner = new URLSearchParams(ctx.querystring).get('owner');
  const { rows } = await pool.query({ name: 'page', text: PAGE, values: [owner] });
  ctx.body = { transactions: rows.slice(0, 25), has_more: rows.length > 25 };
});
const server = app.listen(Number(process.env['PORT']), '127.0.0.1', () => process.send!('ready'));
server.keepAliveTimeout = 65_000;
