// The reads' floor, a process of its own: a Koa route that does one `select 1` and nothing else.

import Koa from 'koa';
import { Pool } from 'pg';

const pool = new Pool({ connectionString: process.env['DATABASE_URL'], max: 20 });
const app = new Koa();
app.use(async (ctx) => {
  const { rows } = await pool.query('select 1 as one');
  ctx.body = rows[0];
});
const server = app.listen(Number(process.env['PORT']), '127.0.0.1', () => process.send!('ready'));
server.keepAliveTimeout = 65_000;
