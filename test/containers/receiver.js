// A merchant's server, in a container: keeps each webhook, and tells those whose body has the text that is asked for.

const { createServer } = require('node:http');

const received = [];

async function answer(request, response) {
  const body = Buffer.concat(await request.toArray()).toString();
  if (request.method === 'POST') {
    received.push({ headers: request.headers, body });
    return response.end('ok');
  }
  const text = new URL(request.url, 'http://receiver').searchParams.get('text');
  return response.end(JSON.stringify(received.filter((one) => one.body.includes(text))));
}

createServer((request, response) => void answer(request, response)).listen(8080);
