// What submit and inquire need for whole orders, over the sockets: the second person's proof of a decision, and the key that AWS keeps.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { inquirePorts } from '../../functions/inquire.ts';
import { submitPorts } from '../../functions/submit.ts';
import { attributesOf } from '../../lib/aws/order-item.ts';
import { safeguardsText } from '../../lib/batches/safeguards.ts';
import { theFullestOrder } from '../support/orders.ts';
import { type ScriptedAws, startScriptedAws } from '../support/scripted-aws.ts';
import { merchantSecrets } from '../support/merchant-secrets.ts';

const functions = [
  ['submit', submitPorts],
  ['inquire', inquirePorts],
] as const;

let aws: ScriptedAws;
beforeEach(async () => {
  aws = await startScriptedAws();
});
afterEach(() => aws.close());

const itemsOf = (attributes: object) => Object.fromEntries(Object.entries(attributes).filter(([, value]) => value));

function holdSafeguards(): void {
  const its = {
    serial: 1,
    by: 'arn:aws:iam::1:role/approver',
    atMs: 0,
    twoPersonRelease: false,
    caps: {},
    logins: ['gateway.test/acme'],
  };
  const record = safeguardsText('batches', 'acme-eu', its);
  const Item = { record: { S: record }, mac: { S: 'A'.repeat(43) } };
  aws.answers.set('GetItem batches ~safeguards/acme-eu', { status: 200, body: { Item } });
  aws.answers.set('VerifyMac', { status: 200, body: { MacValid: true } });
}

it.each(functions)('%s believes a decision of one person only once it knows that one is enough', async (_, portsOf) => {
  const order = theFullestOrder();
  const decided = {
    ...order,
    facts: {
      ...order.facts,
      unproven: [],
      decisions: Object.fromEntries(
        Object.entries(order.facts.decisions).map(([id, it]) => [id, { ...it, kind: 'not-paid' as const }]),
      ),
    },
  };
  aws.answers.set(`GetItem ledger ${order.key}`, { status: 200, body: { Item: itemsOf(attributesOf(decided)) } });
  const { orders } = portsOf(aws.config, () => {});
  await expect(orders.read(order.key)).rejects.toThrow('safeguards of the merchant');
  expect(aws.asked).toContain('GetItem batches ~safeguards/acme-eu');
});

it.each(functions)('%s signs with a key that AWS KMS keeps', async (_, portsOf) => {
  holdSafeguards();
  const secret = { login: 'acme', baseUrl: 'https://gateway.test', kmsKeyId: 'alias/acme' };
  for (const [name, json] of Object.entries(merchantSecrets(secret))) {
    const body = { SecretString: JSON.stringify(json), VersionId: 'v1' };
    aws.answers.set(`GetSecretValue payouts/${name}/acme-eu`, { status: 200, body });
  }
  const { credentials } = portsOf(aws.config, () => {});
  const answer = await credentials.of('acme-eu');
  if (answer.kind !== 'credentials') throw new Error(answer.failure.message);
  const order = { operation: 'payout', orderId: 'INV-1', endpointId: '1', params: {} } as const;
  const sending = { clock: { nowMs: () => 0 }, random: { id: () => 'nonce' } };
  const signed = await answer.credentials.dialect.start(order, answer.credentials, sending);
  // The script's KMS gives no signature: it was asked for one.
  expect(signed).toMatchObject({ kind: 'unsignable', failure: { code: 'SIGNER_UNAVAILABLE' } });
  expect(aws.asked).toContain('Sign alias/acme');
});
