// A DNS server on UDP. A test decides the answer to each query. Answers have a TTL of 0 seconds, as
// in DNS rebinding.

import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv4, type AddressInfo } from 'node:net';
import { closeAfterFile } from '../../support/cleanup';

export interface Question {
  readonly name: string;
  readonly type: 'A' | 'AAAA';
  /** How many such queries came before. */
  readonly asked: number;
}

/** Addresses of the queried type, or of both; or what a server does instead of an answer. */
export type DnsAnswer = readonly string[] | 'silence' | 'no such name' | 'failure';

export interface DnsServer {
  /** Belongs in `dns_servers`. */
  readonly address: string;
  readonly questions: readonly Question[];
}

const TYPES = { 1: 'A', 28: 'AAAA' } as const;
const CODES = { failure: 2, 'no such name': 3 } as const;

export async function startDnsServer(
  answer: (question: Question) => DnsAnswer,
): Promise<DnsServer> {
  const questions: Question[] = [];
  // 200 names asked for at once are 400 packets.
  const socket = createSocket({ type: 'udp4', recvBufferSize: 1_048_576 });
  socket.on('message', (query, client) => {
    const { name, type, end } = readQuestion(query);
    const asked = questions.filter((one) => one.name === name && one.type === type).length;
    const question = { name, type, asked };
    questions.push(question);
    const reply = answer(question);
    if (reply === 'silence') return;
    socket.send(writeAnswer(query.subarray(0, end), type, reply), client.port, client.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  closeAfterFile(() => void socket.close());
  return { address: `127.0.0.1:${(socket.address() as AddressInfo).port}`, questions };
}

// RFC 1035, 4: twelve bytes of header, then labels with their lengths, type and class.
function readQuestion(query: Buffer) {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const type = TYPES[query.readUInt16BE(at + 1) as keyof typeof TYPES];
  return { name: labels.join('.').toLowerCase(), type, end: at + 5 };
}

function writeAnswer(
  question: Buffer,
  type: Question['type'],
  reply: Exclude<DnsAnswer, 'silence'>,
): Buffer {
  const addresses = typeof reply === 'string' ? [] : reply.map(addressBytes);
  const fitting = addresses.filter(({ length }) => length === (type === 'A' ? 4 : 16));
  const head = Buffer.from(question);
  head.writeUInt16BE(0x8180 | (typeof reply === 'string' ? CODES[reply] : 0), 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(fitting.length, 6);
  head.writeUInt32BE(0, 8);
  const records = fitting.flatMap((bytes) => {
    const record = Buffer.alloc(12);
    record.writeUInt16BE(0xc00c, 0); // the question's name
    record.writeUInt16BE(type === 'A' ? 1 : 28, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt32BE(0, 6); // to be kept for
    record.writeUInt16BE(bytes.length, 10);
    return [record, bytes];
  });
  return Buffer.concat([head, ...records]);
}

function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  // Its parser writes an IPv4 tail as groups.
  const [left = '', right] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const tail = right === undefined ? [] : groups(right);
  const zeros = Array.from({ length: 8 - groups(left).length - tail.length }, () => '0');
  const all = [...groups(left), ...zeros, ...tail].map((group) => group.padStart(4, '0'));
  return Buffer.from(all.join(''), 'hex');
}
