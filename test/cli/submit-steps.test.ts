// A file of payouts in two waves, as an operator sends it: checked first, then paid, and nothing is paid unseen.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDynamoDbOrders } from '../../lib/aws/dynamodb-orders.ts';
import { clientConfigOf } from '../../lib/local/local-environment.ts';
import { sampleSecrets } from '../../lib/local/sample-merchants.ts';
import { anOrderThatStands, type Standing } from '../support/order-that-stands.ts';
import { type CliEnd, runCli } from './support/cli.ts';
import { aDirectory } from './support/files.ts';
import { anAwsToSubmitTo } from './support/submitting.ts';

const files = aDirectory();
const queue = anAwsToSubmitTo();
let client: DynamoDBClient;

beforeAll(async () => {
  const nobody = 'http://127.0.0.1:9';
  const { 'acme-eu': secret = {} } = await sampleSecrets({ gatewayUrl: nobody, closedUrl: nobody });
  const profile = { ...(secret['profile'] as object | undefined), statusInquiry: true, twoStepPayouts: true };
  queue.aws().secrets.put('payouts/acme-eu', { ...secret, profile });
  client = new DynamoDBClient(clientConfigOf(queue.aws(), 'DYNAMODB'));
});
afterAll(() => client.destroy());

const given = ['--merchant', 'acme-eu', '--operation', 'payout', '--endpoint', '39915', '--batch', 'steps'];
const submit = (file: string, ...args: string[]): Promise<CliEnd> =>
  runCli(['submit', file, ...given, ...args], { cwd: files.path(), env: queue.env() });
const sent = async () => (await queue.takeJobs()).map((it) => `${it.orderId} ${String(it['operation'])} ${it.batchId}`);

async function answered(orderId: string, changes: Standing) {
  const orders = createDynamoDbOrders({ client, tableName: queue.env()['LEDGER_TABLE_NAME'] ?? '' });
  await orders.put(anOrderThatStands({ operation: 'payout-check', orderId, batchId: 'steps', ...changes }));
}
const eur = (minorUnits: bigint) => ({ currency: 'EUR', minorUnits });
const validated = {
  state: 'held',
  gatewayOrderId: '9000001',
  failure: { code: 'CHECK_VALIDATED', message: 'checked' },
} as const;
const declined = { state: 'declined', final: true, failure: { code: 'GATEWAY_DECLINED', message: 'no' } } as const;

it('is checked, told what the checks have answered, and paid as the same batch', async () => {
  const amounts = { A: '10.42', B: '20.00', C: '30.00' };
  const rows = Object.entries(amounts).map(([id, amount]) => `STEP-${id},${amount},EUR,DE89370400440532013000,Bank\n`);
  const file = await files.file('steps.csv', `order_id,amount,currency,iban,bank\n${rows.join('')}`);

  // not before it was checked
  expect(await submit(file, '--pay-checked', '--yes')).toMatchObject({
    code: 1,
    stdout: 'nothing was sent: it was not checked yet: say --check-first in the place of --pay-checked\n',
  });
  expect(await sent()).toEqual([]);

  // the first wave
  expect(await submit(file, '--check-first', '--yes')).toMatchObject({ code: 0 });
  expect((await sent()).toSorted()).toEqual(['A', 'B', 'C'].map((id) => `STEP-${id} payout-check steps`));

  // not while a check is under way
  await answered('STEP-A', { ...validated, money: eur(1042n) });
  await answered('STEP-B', { ...declined, money: eur(2000n) });
  const early = await submit(file, '--pay-checked', '--yes');
  expect(early.stdout).toContain('1 of its checks have not ended');
  expect(await sent()).toEqual([]);

  // the second wave: what the checks have answered stands before the question
  await answered('STEP-C', { ...validated, money: eur(3000n) });
  const { code, stderr } = await submit(file, '--pay-checked', '--yes');
  const lines = stderr.split('\n').map((line) => line.trim().replaceAll(/ {2,}/g, '  '));
  expect(lines).toEqual(
    expect.arrayContaining([
      'validated  2  40.42  EUR  the gateway would pay it',
      'refused  1  20.00  EUR  never paid',
    ]),
  );
  expect(code).toBe(0);
  expect((await sent()).toSorted()).toEqual(['A', 'B', 'C'].map((id) => `STEP-${id} payout-pay steps`));
});

it('a payout to a card is refused with what the check is not for', async () => {
  const file = await files.file(
    'cards.csv',
    'order_id,amount,currency,credit_card_number\nCARD-1,10.42,EUR,4111111111111111\n',
  );
  const end = await submit(file, '--check-first', '--yes');
  expect(end.stderr).toContain('credit_card_number │ is not a field of payout-check; it takes amount');
  expect(end.code).toBe(2);
  expect(await sent()).toEqual([]);
});

it('where two persons release the payments, both waves say so in a line', async () => {
  const { 'acme-eu': secret = {} } = await sampleSecrets({
    gatewayUrl: 'http://127.0.0.1:9',
    closedUrl: 'http://127.0.0.1:9',
  });
  const profile = { statusInquiry: true, twoStepPayouts: true };
  queue.aws().secrets.put('payouts/two', { ...secret, profile });
  await queue.aws().safeguard('two', { twoPersonRelease: true, caps: {} });
  const file = await files.file(
    'two.csv',
    'order_id,amount,currency,iban,bank\nTWO-1,10.42,EUR,DE89370400440532013000,Bank\n',
  );
  const theirs = ['--merchant', 'two', '--operation', 'payout', '--endpoint', '39915', '--yes'];
  for (const wave of ['--check-first', '--pay-checked']) {
    const end = await runCli(['submit', file, ...theirs, wave], { cwd: files.path(), env: queue.env() });
    expect(end).toMatchObject({ code: 1, stdout: expect.stringContaining('two persons release the payments of two') });
  }
  expect(await sent()).toEqual([]);
});

it('refuses what does not go together, and a merchant without the contract', async () => {
  const file = await files.file(
    'odd.csv',
    'order_id,amount,currency,iban,bank\nODD-1,10.42,USD,DE89370400440532013000,Bank\n',
  );
  expect((await submit(file, '--check-first', '--pay-checked', '--yes')).code).toBe(2);
  expect((await submit(file, '--check-first', '--hold')).code).toBe(2);
  const other = ['--merchant', 'initech-uk', '--operation', 'payout', '--endpoint', '50001', '--check-first', '--yes'];
  const end = await runCli(['submit', file, ...other], { cwd: files.path(), env: queue.env() });
  expect(end).toMatchObject({ code: 1, stdout: expect.stringContaining('has no twoStepPayouts') });
  expect(await sent()).toEqual([]);
});
