// An API process that breaks the connection of the first request of each path, or answers it with 503, and answers all
// later ones with their body. Another path tells what arrived.

const { createServer } = require('node:http');

const arrived = new Map();

async function answer(request, response) {
  const body = Buffer.concat(await request.toArray()).toString();
  const [, first, id] = request.url.split('/');
  const bodies = arrived.get(id) ?? [];
  if (first === 'arrived') return response.end(JSON.stringify({ bodies }));
  arrived.set(id, [...bodies, body]);
  if (bodies.length > 0) return response.end(body);
  return first === 'break' ? request.socket.destroy() : response.writeHead(503).end('no');
}

createServer((request, response) => void answer(request, response)).listen(3000);
