// The callback function as it ships, over the sockets: where a genuine word of the gateway is put, and what a forged one leaves.
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { callbackPorts, createCallback } from '../../functions/callback.ts';
import { safeguardsText } from '../../lib/batches/safeguards.ts';
import type { CallbackHandler } from '../../lib/aws/lambda-handler.ts';
import { merchantSecrets } from '../support/merchant-secrets.ts';
import { remakeLedger, type ScriptedAws, startScriptedAws } from '../support/scripted-aws.ts';

let aws: ScriptedAws;
let lines: string[];
let handler: CallbackHandler;

beforeEach(async () => {
  aws = await startScriptedAws();
  lines = [];
  answers('_callback', { 'acme-eu': ['control-key'] });
  const its = merchantSecrets({ login: 'acme', baseUrl: 'https://gateway.test', controlKey: 'control-key' });
  for (const [name, secret] of Object.entries(its)) answers(`${name}/acme-eu`, secret);
  handler = createCallback(callbackPorts(aws.config, (line) => lines.push(line)));
});
afterEach(() => aws.close());

const answers = (name: string, secret: object) =>
  aws.answers.set(`GetSecretValue payouts/${name}`, {
    status: 200,
    body: { SecretString: JSON.stringify(secret), VersionId: 'v-1' },
  });

async function called(control: string): Promise<string> {
  const query = `status=approved&orderid=4711&client_orderid=INV-1&control=${control}`;
  return (await handler({ path: '/acme-eu', query, form: '' }, { awsRequestId: 'r-1' })).answer;
}
const genuine = createHash('sha1').update('approved4711INV-1control-key').digest('hex');

it('a genuine callback is written into its order, by an update that replaces none', async () => {
  expect(await called(genuine)).toBe('stored');
  const isContract = (it: string) => it === 'GetSecretValue payouts/contract/acme-eu';
  // Contract and keys are read beside each other.
  expect(aws.asked.filter(isContract)).toHaveLength(2);
  expect(aws.asked.filter((it) => !isContract(it))).toEqual([
    'GetSecretValue payouts/_callback',
    'GetSecretValue payouts/keys/acme-eu',
    'GetItem ledger acme-eu/INV-1',
    // It fits no attempt, so the secrets are read anew.
    'GetSecretValue payouts/keys/acme-eu',
    'UpdateItem ledger acme-eu/INV-1',
  ]);
  expect(lines.filter((it) => it.includes('"requestId":"r-1"'))).toHaveLength(1);
});

it.each([
  ['is genuine if an approver registered that', ['gateway.test/before'], 'stored'],
  ['is refused if none has', [], 'refused'],
])('one by the key of an earlier account %s', async (_, logins, answer) => {
  const said = { serial: 1, by: 'arn:aws:iam::1:role/approver', atMs: 0, twoPersonRelease: false, caps: {} };
  const Item = { record: { S: safeguardsText('batches', 'acme-eu', { ...said, logins }) }, mac: { S: 'A'.repeat(43) } };
  aws.answers.set('GetItem batches ~safeguards/acme-eu', { status: 200, body: { Item } });
  aws.answers.set('VerifyMac', { status: 200, body: { MacValid: true } });
  const before = { login: 'before', baseUrl: 'https://gateway.test', controlKey: 'key-before' };
  const its = merchantSecrets({
    login: 'acme',
    baseUrl: before.baseUrl,
    controlKey: 'other',
    earlierAccounts: [before],
  });
  for (const [name, secret] of Object.entries(its)) answers(`${name}/acme-eu`, secret);
  answers('_callback', { 'acme-eu': ['key-before'] });
  expect(await called(createHash('sha1').update('approved4711INV-1key-before').digest('hex'))).toBe(answer);
});

it('one that could not be written is refused, so that the gateway calls again', async () => {
  aws.answers.set('UpdateItem ledger', { status: 400, body: { __type: 'x#AccessDeniedException' } });
  expect(await called(genuine)).toBe('refused');
});

it('on a ledger that was made anew nothing is read or written: it is refused', async () => {
  remakeLedger(aws);
  expect(await called(genuine)).toBe('refused');
  expect(aws.asked).not.toContain('UpdateItem ledger acme-eu/INV-1');
});

it('a forged one goes nowhere, and is counted in the namespace of the stage', async () => {
  expect(await called('0'.repeat(40))).toBe('refused');
  expect(aws.asked).toEqual(['GetSecretValue payouts/_callback']);
  expect(lines.find((it) => it.includes('"callbacksForged":1'))).toContain(
    `"Namespace":"${aws.config.metricsNamespace}"`,
  );
});
