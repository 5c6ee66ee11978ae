// The rights on parked jobs and lanes, held to what the code asks: an attribute that a call names and its policy lacks would stop every release.
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { createDynamoDbLanes } from '../../lib/aws/dynamodb-lanes.ts';
import { createDynamoDbWaiting } from '../../lib/aws/dynamodb-waiting.ts';
import { newLane } from '../../lib/payout/pace/lane-state.ts';
import { aParkedJob } from '../contract/waiting-contract.ts';
import { accessOf, mayCall } from '../rights/policy-evaluator.ts';
import { stackOf } from '../support/stack.ts';
import { packaged } from './packaged.ts';

const stack = stackOf(packaged('prod').template);

/** Those calls of this use of a table that the role may not make. */
async function refusedOver(
  caller: string,
  table: 'WaitingTable' | 'ControlsTable',
  use: (over: { readonly client: DynamoDBClient; readonly tableName: string }) => Promise<unknown>,
) {
  const calls: { readonly action: string; readonly input: Record<string, unknown> }[] = [];
  const send = async ({
    constructor: { name },
    input,
  }: {
    constructor: { name: string };
    input: Record<string, unknown>;
  }) => {
    calls.push({ action: `dynamodb:${name.replace(/Command$/, '')}`, input });
    return { Items: [{ pk: { S: 'acme-eu/INV-1' }, sk: { S: 'd' } }] };
  };
  const client = { send } as unknown as DynamoDBClient;
  await use({ client, tableName: table });
  const may = calls.map(({ action, input }) => {
    const index = input['IndexName'] === undefined ? '' : `/index/${String(input['IndexName'])}`;
    return {
      action,
      may: mayCall(stack, caller, { action, resource: `\${${table}.Arn}${index}`, ...accessOf(input) }),
    };
  });
  expect(may.length).toBeGreaterThan(0);
  return may.filter((it) => !it.may).map(({ action }) => action);
}

const refused = (caller: string, use: (jobs: ReturnType<typeof createDynamoDbWaiting>) => Promise<unknown>) =>
  refusedOver(caller, 'WaitingTable', (over) => use(createDynamoDbWaiting(over)));

const job = aParkedJob();
const lane = { merchant: 'acme-eu', endpointId: '39915' };

it.each(['Sweep', 'Inquire', 'Submit'])('%s moves the moment of a job, in line or not', async (caller) => {
  for (const because of ['pace', 'cap', 'again'] as const)
    expect(await refused(caller, (jobs) => jobs.move(job, 1, { because, goAtMs: 2 }))).toEqual([]);
});

// A question, or a job, may wait in a lane that the table of controls has lost: who takes its first turn makes and names it.
it.each(['Sweep', 'Inquire', 'Submit'])('%s makes the item of a lane that has none, and names it', async (caller) => {
  const made = (over: Parameters<Parameters<typeof refusedOver>[2]>[0]) =>
    createDynamoDbLanes({ ...over, sleep: async () => {} }).write(lane, { ...newLane({}), version: 1 });
  expect(await refusedOver(caller, 'ControlsTable', made)).toEqual([]);
});

it('the leader reads what is due and what has expired, without a body', async () => {
  expect(await refused('Sweep', (jobs) => jobs.first(lane, 'urgent', 5, 9))).toEqual([]);
  expect(await refused('Sweep', (jobs) => jobs.expired(lane, 9, 5))).toEqual([]);
  expect(await refused('Sweep', (jobs) => jobs.length(lane, 'urgent'))).toEqual([]);
});

it('the leader changes nothing of a job but its moment: neither its class, nor its expiry, nor since when it waits', () => {
  const may = (attribute: string) =>
    mayCall(stack, 'Sweep', {
      action: 'dynamodb:UpdateItem',
      resource: '${WaitingTable.Arn}',
      keys: ['acme-eu/INV-1'],
      attributes: ['pk', 'sk', attribute],
    });
  expect(
    ['jobClass', 'expiry', 'since', 'notBefore', 'batchId', 'currency', 'minorUnits', 'sealed'].filter(may),
  ).toEqual([]);
});
