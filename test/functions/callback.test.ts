// The callback function as it ships, over the sockets: where a genuine word of the gateway is put, and what a forged one leaves.
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { callbackPorts, createCallback } from '../../functions/callback.ts';
import type { CallbackHandler } from '../../lib/aws/lambda-handler.ts';
import { type ScriptedAws, startScriptedAws } from '../support/scripted-aws.ts';

let aws: ScriptedAws;
let lines: string[];
let handler: CallbackHandler;

beforeEach(async () => {
  aws = await startScriptedAws();
  lines = [];
  const SecretString = JSON.stringify({ 'acme-eu': ['control-key'] });
  aws.answers.set('GetSecretValue payouts/_callback', { status: 200, body: { SecretString, VersionId: 'v-1' } });
  handler = createCallback(callbackPorts(aws.config, (line) => lines.push(line)));
});
afterEach(() => aws.close());

async function called(control: string): Promise<number | undefined> {
  const rawQueryString = `status=approved&orderid=4711&client_orderid=INV-1&control=${control}`;
  const request = { rawPath: '/acme-eu', rawQueryString, requestContext: { http: { method: 'GET' } } };
  return (await handler(request as never, { awsRequestId: 'r-1' } as never)).statusCode;
}
const genuine = createHash('sha1').update('approved4711INV-1control-key').digest('hex');

it('a genuine callback goes into the inbox of its order, once', async () => {
  expect(await called(genuine)).toBe(200);
  expect(await called(genuine)).toBe(200);
  expect(aws.asked).toEqual([
    'GetSecretValue payouts/_callback',
    'GetItem ledger ~ledger',
    'UpdateItem ledger acme-eu/INV-1',
  ]);
  expect(lines.filter((it) => it.includes('"requestId":"r-1"'))).toHaveLength(1);
});

it('where the order can not be written, to the queue of callbacks', async () => {
  aws.answers.set('UpdateItem ledger', { status: 400, body: { __type: 'x#AccessDeniedException' } });
  expect(await called(genuine)).toBe(200);
  expect(aws.asked.at(-1)).toBe('SendMessage callbacks');
});

it('on a table that is the copy of another, to the queue of callbacks', async () => {
  const Item = { pk: { S: '~ledger' }, ledger: { S: 'the-old-ledger' } };
  aws.answers.set('GetItem ledger ~ledger', { status: 200, body: { Item } });
  expect(await called(genuine)).toBe(200);
  expect(aws.asked).not.toContain('UpdateItem ledger acme-eu/INV-1');
  expect(aws.asked.at(-1)).toBe('SendMessage callbacks');
});

it('a forged one goes nowhere, and is counted in the namespace of the stage', async () => {
  expect(await called('0'.repeat(40))).toBe(403);
  expect(aws.asked).toEqual(['GetSecretValue payouts/_callback']);
  expect(lines.find((it) => it.includes('"callbacksForged":1'))).toContain(
    `"Namespace":"${aws.config.metricsNamespace}"`,
  );
});
