// The sweeper's looks over dynalite: they are written once, over what was seen alone, and touch nothing else of the order.
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newDynamoDbClient } from '../../lib/aws/dynamodb-client.ts';
import { createDynamoDbLedger } from '../../lib/aws/dynamodb-ledger.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../../lib/local/embedded-aws.ts';
import { clientConfigOf } from '../../lib/local/local-environment.ts';
import { localCalls } from '../../lib/local/local-limits.ts';
import { looked } from '../../lib/payout/due-work.ts';
import type { LedgerEntry } from '../../lib/payout/ledger.ts';
import { anEntry } from '../support/ledger-entries.ts';
import { createDynamoDbLooks } from '../../lib/aws/dynamodb-due-work.ts';

let aws: EmbeddedAws;
beforeAll(async () => {
  aws = await startEmbeddedAws();
});
afterAll(() => aws.close());

function aDesk() {
  const client = newDynamoDbClient(localCalls, clientConfigOf(aws, 'DYNAMODB'));
  const where = { client, tableName: aws.ledgerTableName };
  const itemOf = async (pk: string) =>
    (await client.send(new GetItemCommand({ TableName: where.tableName, Key: { pk: { S: pk } } }))).Item;
  return { ledger: createDynamoDbLedger(where), looks: createDynamoDbLooks(where), itemOf };
}

const look = (entry: LedgerEntry): LedgerEntry =>
  looked(entry, { count: 1, negatives: 0 }, { nowMs: entry.updatedAtMs, inSeconds: 60 });

it('a look is written, and nothing of the order but its looks and when the next is due', async () => {
  const { ledger, looks, itemOf } = aDesk();
  const entry = anEntry({ orderId: 'LOOK-1' });
  await ledger.claim(entry);
  const before = await itemOf(entry.key);
  expect(await looks.advance(entry, look(entry))).toEqual({ kind: 'advanced' });
  const { lo: _lo, wk: _wk, wa: _wa, ...after } = (await itemOf(entry.key)) ?? {};
  const { wk, wa, ...others } = before ?? {};
  expect([after, wk, wa]).toEqual([others, { S: expect.any(String) }, { N: expect.any(String) }]);
  expect(await ledger.read(entry.key)).toEqual({ kind: 'found', entry: look(entry) });
});

it('of two that saw the same, one is written', async () => {
  const { ledger, looks } = aDesk();
  const entry = anEntry({ orderId: 'LOOK-2' });
  await ledger.claim(entry);
  const ends = await Promise.all([looks.advance(entry, look(entry)), looks.advance(entry, look(entry))]);
  expect(ends.filter(({ kind }) => kind === 'advanced')).toHaveLength(1);
});

it('none is written over an order that has moved or was marked, or that is not there', async () => {
  const { ledger, looks } = aDesk();
  const moved = anEntry({ orderId: 'LOOK-3' });
  await ledger.claim(moved);
  await ledger.advance(moved, { ...moved, revision: moved.revision + 1, updatedAtMs: moved.updatedAtMs + 1 });
  expect((await looks.advance(moved, look(moved))).kind).not.toBe('advanced');
  const marked = anEntry({ orderId: 'LOOK-4' });
  await ledger.claim(marked);
  await ledger.markUnpublished(marked, true);
  expect((await looks.advance(marked, look(marked))).kind).not.toBe('advanced');
  const nowhere = anEntry({ orderId: 'LOOK-5' });
  expect((await looks.advance(nowhere, look(nowhere))).kind).not.toBe('advanced');
});

it('a move is refused: it is no look', async () => {
  const { looks } = aDesk();
  const entry = anEntry({ orderId: 'LOOK-6' });
  await expect(looks.advance(entry, { ...entry, revision: entry.revision + 1 })).rejects.toThrow('no look');
});
