// The start with a key that may not add search attributes, as in Temporal Cloud: a proxy in front of the real server
// refuses the call, as the server does to such a key.

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { loadConfig, type Config } from '../../config/load';
import { acquireTemporalBinary } from '../../dev/embedded/temporal-binary';
import {
  connectTemporal,
  registerSearchAttributes,
  type TemporalLink,
} from '../../temporal/connect';
import { SearchAttributesError } from '../../temporal/search-attributes-error';
import { searchAttributes } from '../../workflows/messages';
import { closeAfterFile } from '../support/cleanup';
import { readStack } from '../support/stack';
import { connectTestTemporal } from '../support/temporal';
import { waitFor } from '../support/wait';

const ADD = '/temporal.api.operatorservice.v1.OperatorService/AddSearchAttributes';
const CODES = { permission_denied: '7', unimplemented: '12' };

/** Passes on all calls but the one that adds search attributes, which it refuses after `before`. */
async function startRefusingProxy(
  code: keyof typeof CODES,
  before = () => Promise.resolve(),
): Promise<string> {
  const upstream = connect(`http://${readStack().temporal_address}`);
  const server = createServer((request, response) => {
    if (request.url === ADD) {
      request.resume();
      const refusal = { 'grpc-status': CODES[code], 'grpc-message': 'Request unauthorized.' };
      void before().then(() =>
        response.writeHead(200, { 'content-type': 'application/grpc', ...refusal }).end(),
      );
      return;
    }
    const call = upstream.request({ ...request.headers });
    const body: Buffer[] = [];
    call.on('response', ({ ':status': status, ...headers }) => {
      response.writeHead(Number(status), headers);
    });
    call.on('data', (part: Buffer) => body.push(part));
    call.on('trailers', (trailers) => response.addTrailers(trailers));
    call.on('end', () => response.end(Buffer.concat(body)));
    request.pipe(call);
  });
  server.listen({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  closeAfterFile(() => {
    upstream.destroy();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function buildNamespace(): Promise<string> {
  const namespace = `attributes-${randomBytes(4).toString('hex')}`;
  const { connection, workflowService } = await connectTestTemporal();
  await workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
  });
  // Another part of the server learns of it a moment later.
  await waitFor(async () => {
    await connection.workflowService.countWorkflowExecutions({ namespace });
    return true;
  });
  return namespace;
}

async function open(address: string, namespace: string): Promise<[TemporalLink, Config]> {
  const config = loadConfig({ TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace });
  const link = await connectTemporal(config);
  closeAfterFile(() => link.connection.close());
  return [link, config];
}

async function refusalOf(link: TemporalLink, config: Config): Promise<string> {
  const error: unknown = await registerSearchAttributes(link, config).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(SearchAttributesError);
  return (error as Error).message;
}

describe.each(['permission_denied', 'unimplemented'] as const)('a key whose call is %s', (code) => {
  it('gets one line with the command, and starts once an operator has run it', async () => {
    const namespace = await buildNamespace();
    const [link, config] = await open(await startRefusingProxy(code), namespace);
    const message = await refusalOf(link, config);
    expect(message).toMatch(
      /^Temporal's namespace attributes-\w+ lacks search attributes, and this process may not add them: run temporal operator search-attribute create /,
    );
    expect(message).not.toContain('\n');
    const [, command = ''] = message.split(': run temporal ');
    const temporal = await acquireTemporalBinary({ env: process.env, log: () => undefined });
    const { temporal_address } = readStack();
    const args = [...command.split(' '), '--address', temporal_address];
    await promisify(execFile)(temporal, args);
    await registerSearchAttributes(link, config);
  });
});

it('is told how Temporal Cloud adds them, by its own tool', async () => {
  const [link, config] = await open(
    await startRefusingProxy('permission_denied'),
    await buildNamespace(),
  );
  const temporal_address = 'eu-central-1.aws.api.temporal.io:7233';
  const [, command] = (await refusalOf(link, { ...config, temporal_address })).split(': run ');
  expect(command).toMatch(
    /^tcld namespace search-attributes add --namespace attributes-\w+ --search-attribute PaymentEnvironment=Keyword /,
  );
  const types = {
    PaymentReferences: 'KeywordList',
    PaymentAmount: 'Double',
    PaymentExpiresAt: 'Datetime',
  };
  for (const [name, type] of Object.entries(types)) {
    expect(command).toContain(` --search-attribute ${name}=${type}`);
  }
  const names = [...command!.matchAll(/--search-attribute (\w+)=/g)].map(([, name]) => name);
  expect(names).toEqual(Object.values(searchAttributes).map(({ name }) => name));
});

it('starts when another process has added them meanwhile', async () => {
  const namespace = await buildNamespace();
  const [allowed, config] = await open(readStack().temporal_address, namespace);
  const faster = (): Promise<void> => registerSearchAttributes(allowed, config);
  const [link] = await open(await startRefusingProxy('permission_denied', faster), namespace);
  await registerSearchAttributes(link, config);
});

it('passes on every other fault', async () => {
  const [link, config] = await open(readStack().temporal_address, await buildNamespace());
  const gone = { ...link, namespace: 'of-nobody' };
  await expect(registerSearchAttributes(gone, config)).rejects.not.toBeInstanceOf(
    SearchAttributesError,
  );
});
