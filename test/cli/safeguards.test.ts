// `payouts safeguards`: an approver writes what a merchant may pay, anybody sees who wrote it, and nobody else can write it.
import { DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { safeguardsRound } from '../../lib/batches/safeguards.ts';
import { createDynamoDbSafeguards, createDynamoDbSafeguardsChanges } from '../../lib/batches/dynamodb-safeguards.ts';
import { clientConfigOf } from '../../lib/local/local-environment.ts';
import { type CliEnd, runCli } from './support/cli.ts';
import { aDirectory } from './support/files.ts';
import { anAwsToSubmitTo } from './support/submitting.ts';

const files = aDirectory();
const queue = anAwsToSubmitTo();

const as =
  (person: 'registrar' | 'approver') =>
  (...args: string[]): Promise<CliEnd> => {
    const env = { ...queue.env(), ...(person === 'approver' && queue.aws().secondOperator) };
    return runCli(['safeguards', ...args], { cwd: files.path(), env });
  };
const [ada, grace] = [as('registrar'), as('approver')];

const place = () => ({
  client: new DynamoDBClient(clientConfigOf(queue.aws(), 'DYNAMODB')),
  tableName: queue.aws().batchesTableName,
});

it('a new merchant has none, until an approver says all of them', async () => {
  expect(await ada('show', 'new')).toMatchObject({ code: 1, stdout: 'new: no safeguards; its jobs wait\n' });
  expect(await grace('set', 'new', '--uncapped', '--yes')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('say --two-persons on or off'),
  });
  const all = ['--two-persons', 'on', '--cap', 'EUR=1000.00/50000.00', '--cap', 'JPY=-/5000000'];
  const set = await grace('set', 'new', ...all, '--reason', 'contract of May', '--yes');
  expect(set).toMatchObject({ code: 0, stderr: expect.stringContaining('now:  new: no safeguards') });
  const words =
    'two persons on; EUR 1000.00 an order, 50000.00 a day; JPY no end an order, 5000000 a day; no other currency';
  expect(set.stdout).toContain(`new: ${words}`);
  const shown = await ada('show', 'new');
  expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining(words) });
  expect(shown.stdout).toContain('user/second-operator (contract of May)');
});

it('what is not said stays, and what was before is shown', async () => {
  await grace('set', 'kept', '--two-persons', 'on', '--cap', 'EUR=10/20', '--yes');
  await grace('set', 'kept', '--two-persons', 'off', '--yes');
  expect(JSON.parse((await ada('show', 'kept', '--json')).stdout)).toMatchObject({
    kind: 'hold',
    serial: 2,
    twoPersonRelease: false,
    caps: { EUR: { single: '10', perDay: '20' } },
    earlier: [{ serial: 1, twoPersonRelease: true }],
  });
});

it('a third limit of a cap is a number of orders', async () => {
  await grace('set', 'busy', '--two-persons', 'off', '--cap', 'EUR=-/20.00/500', '--cap', 'JPY=-/-/9', '--yes');
  const shown = await ada('show', 'busy');
  expect(shown.stdout).toContain(
    'EUR no end an order, 20.00 a day, 500 orders a day; JPY no end an order, 9 orders a day;',
  );
});

it('who may not approve writes none, with the tool or without it', async () => {
  const before = (await ada('show', 'acme-eu', '--json')).stdout;
  const tried = await ada('set', 'acme-eu', '--two-persons', 'off', '--uncapped', '--yes');
  expect(tried).toMatchObject({ code: 1, stderr: expect.stringContaining('AccessDenied') });
  expect((await ada('show', 'acme-eu', '--json')).stdout).toBe(before);

  const { client, tableName } = place();
  const forged = { ':forged': { S: JSON.parse(before).kind === 'hold' ? '{}' : '' } };
  const Key = { pk: { S: '~safeguards/acme-eu' } };
  await client.send(
    new UpdateItemCommand({
      TableName: tableName,
      Key,
      UpdateExpression: 'SET #record = :forged',
      ExpressionAttributeNames: { '#record': 'record' },
      ExpressionAttributeValues: forged,
    }),
  );
  expect(await ada('show', 'acme-eu')).toMatchObject({
    code: 1,
    stdout: 'acme-eu: safeguards that no approver wrote; its jobs wait\n',
  });
});

it.each([
  ['a cap of no currency', ['--cap', 'euro=1/2'], 'write it as'],
  ['a cap with cents of a yen', ['--cap', 'JPY=1.50/2'], 'write it as'],
  ['a cap of more limits than there are', ['--cap', 'EUR=1/2/3/4'], 'write it as'],
  ['a cap of half an order', ['--cap', 'EUR=1/2/0.5'], 'write it as'],
  ['one order above the day', ['--cap', 'EUR=2/1'], 'is above 1 a day'],
  ['caps and none', ['--cap', 'EUR=1/2', '--uncapped'], 'say one of them'],
])('%s is refused', async (_, words, says) => {
  const end = await grace('set', 'odd', '--two-persons', 'on', ...words, '--yes');
  expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining(says) });
});

it('each change is told once, by the sweeper', async () => {
  const lines: unknown[] = [];
  const log = { write: (...line: unknown[]) => lines.push(line) };
  const round = safeguardsRound(createDynamoDbSafeguardsChanges(place()), { clock: { nowMs: () => Date.now() }, log });
  await round.run(Infinity);
  lines.length = 0;
  await grace('set', 'watched', '--two-persons', 'on', '--uncapped', '--yes');
  expect(await round.run(Infinity)).toEqual({ safeguardsChanged: 1 });
  expect(lines).toEqual([['warn', 'safeguards-changed', { merchant: 'watched' }]]);
  expect(await round.run(Infinity)).toEqual({});
  expect(await createDynamoDbSafeguards(place()).read('watched')).toMatchObject({ earlier: [] });
});
