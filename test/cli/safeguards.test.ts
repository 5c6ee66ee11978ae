// `payouts safeguards`: an approver writes what a merchant may pay, anybody sees who wrote it, and only an approver can write it.
import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { safeguardsRound } from '../../lib/batches/safeguards.ts';
import { createDynamoDbSafeguards, createDynamoDbSafeguardsChanges } from '../../lib/batches/dynamodb-safeguards.ts';
import { anAws } from './support/aws.ts';

const queue = anAws();

const ada = (...args: string[]) => queue.payouts('safeguards', ...args);
const grace = (...args: string[]) => queue.approver('safeguards', ...args);

const place = () => ({
  client: queue.dynamodb(),
  tableName: queue.aws().batchesTableName,
});

it('a new merchant has none, until an approver says all of them', async () => {
  expect(await ada('show', 'new')).toMatchObject({ code: 1, stdout: 'new has no safeguards; its jobs wait\n' });
  for (const [words, says] of [
    [
      [],
      'add --two-persons on or off, and --cap CURRENCY=SINGLE/DAY or --uncapped, and --login HOST/LOGIN: no safeguards',
    ],
    [['--uncapped', '--login', 'gate.test/new'], 'add --two-persons on or off: no safeguards'],
    [
      ['--two-persons', 'off', '--login', 'gate.test/new'],
      'add --cap CURRENCY=SINGLE/DAY or --uncapped: no safeguards',
    ],
    [['--two-persons', 'off', '--uncapped'], 'add --login HOST/LOGIN: no safeguards are set yet'],
    [['--two-persons', 'on', '--cap', 'EUR=2/1'], 'is above 1 a day'],
  ] as const)
    expect(await grace('set', 'new', ...words, '--yes')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(says),
    });
  const all = [
    '--two-persons',
    'on',
    '--cap',
    'EUR=1000.00/50000.00',
    '--cap',
    'JPY=-/5000000/9',
    '--login',
    'GATE.test/new',
  ];
  const set = await grace('set', 'new', ...all, '--reason', 'contract of May', '--yes');
  expect(set).toMatchObject({ code: 0, stderr: expect.stringContaining('now:  new has no safeguards') });
  const words =
    'two persons on; EUR 1000.00 an order, 50000.00 a day; JPY no end an order, 5000000 a day, 9 orders a day; no other currency; gate.test/new';
  expect(set.stdout).toContain(`new: ${words}`);
  const shown = await ada('show', 'new');
  expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining(words) });
  expect(shown.stdout).toContain('user/second-operator (contract of May)');
});

it('what is not said stays, and what was before is shown', async () => {
  const former = 'test:abcdefghijkl';
  await grace(
    'set',
    'kept',
    '--two-persons',
    'on',
    '--cap',
    'EUR=10/20',
    '--login',
    'gate.test/kept',
    '--login',
    former,
    '--yes',
  );
  await grace('set', 'kept', '--two-persons', 'off', '--yes');
  expect(JSON.parse((await ada('show', 'kept', '--json')).stdout)).toMatchObject({
    kind: 'hold',
    serial: 2,
    twoPersonRelease: false,
    caps: { EUR: { single: '10', perDay: '20' } },
    logins: ['gate.test/kept', former],
    earlier: [{ serial: 1, twoPersonRelease: true }],
  });
});

it('a login is one merchant’s for ever, in whatever case', async () => {
  const its = ['--two-persons', 'off', '--uncapped', '--login'];
  expect(await grace('set', 'first', ...its, 'gate.test/one', '--yes')).toMatchObject({ code: 0 });
  expect(await grace('set', 'first', '--login', 'gate.test/two', '--yes')).toMatchObject({ code: 0 });
  expect(await grace('set', 'second', ...its, 'gate.test/ONE', '--yes')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("gate.test/ONE belongs to first: a login is one merchant's for ever"),
  });
  expect(await grace('set', 'second', ...its, 'acme', '--yes')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('write it as "gateway.example/LOGIN"'),
  });
  const store = createDynamoDbSafeguards(place());
  expect([await store.own('gate.test/one', 'second'), await store.ownerOf('gate.test/one')]).toEqual([false, 'first']);
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
    stdout: 'acme-eu has safeguards that no approver wrote; its jobs wait\n',
  });
});

it('each change is told once, by the sweeper', async () => {
  const lines: unknown[] = [];
  const log = { write: (...line: unknown[]) => lines.push(line) };
  const round = safeguardsRound(createDynamoDbSafeguardsChanges(place()), { clock: { nowMs: () => Date.now() }, log });
  await round(Infinity);
  lines.length = 0;
  await grace('set', 'watched', '--two-persons', 'on', '--uncapped', '--login', 'gate.test/watched', '--yes');
  expect(await round(Infinity)).toEqual({ safeguardsChanged: 1 });
  expect(lines).toEqual([['warn', 'safeguards-changed', { merchant: 'watched' }]]);
  expect(await round(Infinity)).toEqual({ safeguardsChanged: 0 });
  expect(await createDynamoDbSafeguards(place()).read('watched')).toMatchObject({ earlier: [] });
});
