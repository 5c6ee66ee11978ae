// The sweep as it ships, over the sockets: all that a round looks at.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createSweep, sweepPorts } from '../../functions/sweep.ts';
import { scheduleReserveMs } from '../../lib/aws/lambda-handler.ts';
import { attributesOf } from '../../lib/aws/order-item.ts';
import { anOrder } from '../support/orders.ts';
import { remakeLedger, type ScriptedAws, startScriptedAws } from '../support/scripted-aws.ts';

let aws: ScriptedAws;
let lines: string[];

beforeEach(async () => {
  aws = await startScriptedAws();
  lines = [];
  // One order never moves in one partition of the index; everything else is empty.
  const left = attributesOf(anOrder({ orderId: 'INV-1' }));
  aws.answers.set(`Query ledger open-work ${left['openWork']?.S}`, { status: 200, body: { Items: [left], Count: 1 } });
  aws.answers.set('BatchGetItem', { status: 200, body: { Responses: { [aws.config.ledgerTableName]: [left] } } });
  aws.answers.set('Query', { status: 200, body: { Items: [], Count: 0 } });
  aws.answers.set('Scan', { status: 200, body: { Items: [], Count: 0 } });
});
afterEach(async () => {
  vi.useRealTimers();
  await aws.close();
});

async function swept(leftMs = 60_000): Promise<readonly string[]> {
  const ports = sweepPorts(aws.config, (line) => lines.push(line));
  let name: string | undefined;
  const leader = {
    read: async () => (await ports.leader.read()) ?? name,
    write: async (its: string) => ports.leader.write((name = its)),
  };
  const sweep = createSweep({ ...ports, leader });
  await sweep({}, { getRemainingTimeInMillis: () => leftMs });
  return [...new Set(aws.asked)];
}

const ofOpenWork = (asked: readonly string[]) =>
  asked.flatMap((it) => (it.startsWith('Query ledger open-work ') ? it.split(' ').slice(3) : []));
const sixteen = Array.from({ length: 16 }, (_, shard) => shard);

describe('a sweep', () => {
  it('sends the question of what is due, and has every round', async () => {
    // The first minute of five, in which lines are measured.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-22T10:05:00.000Z') });
    const asked = await swept();
    expect(asked.filter((it) => !it.startsWith('Query ledger')).toSorted()).toEqual([
      'BatchGetItem ',

      'GetItem controls ~lanes',
      'GetItem controls ~leader',

      'Query batches open-work b0',
      'Query batches open-work sg',
      ...[0, 1, 2, 3].map((shard) => `Query waiting line |moments|${shard}`),
      'Scan card-keys',
      'Scan waiting line',
      'SendMessageBatch checks',
      'UpdateItem controls ~leader',
      'UpdateItem ledger acme-eu/INV-1',
      'UpdateItem ledger ~ledger',
    ]);
  });

  it('looks through all of the index, for what moves and for what is held', async () => {
    const partitions = ofOpenWork(await swept());
    for (const letter of ['s', 'd', 'a', 'o', 'u', 'h'])
      expect(partitions.filter((it) => it.startsWith(letter)).toSorted()).toEqual(
        sixteen.map((shard) => `${letter}${shard}`).toSorted(),
      );
  });

  it('says that it came to its end, in the namespace of the stage', async () => {
    await swept();
    expect(lines.at(-1)).toContain('"swept":1');
    expect(lines.at(-1)).toContain(`"Namespace":"${aws.config.metricsNamespace}"`);
  });

  it('comes to its end on a machine whose clock is an hour behind', async () => {
    aws.aheadMs = 3_600_000;
    await swept();
    expect(lines.at(-1)).toContain('"swept":1');
  });

  it('takes no turns where submit would send nothing: while the table is not the ledger', async () => {
    remakeLedger(aws);
    const { controls } = sweepPorts(aws.config, () => {});
    expect(await controls.of('acme-eu')).toMatchObject({ paused: true });
  });

  it('writes nothing while the table is not the ledger, and says so', async () => {
    remakeLedger(aws);
    expect((await swept()).filter((it) => !it.startsWith('GetItem'))).toEqual([]);
    expect(lines).toEqual([
      expect.stringContaining('"event":"ledger-unknown"'),
      expect.stringContaining('"ledgerUnknown":1'),
    ]);
  });

  it('measures nothing in the time that is kept back', async () => {
    await swept(scheduleReserveMs);
    expect(lines).toEqual([]);
  });
});
