// A submission that is killed, over and over, at moments of chance: in the end the queue holds exactly the file's rows.
// Real processes, real signals; the seed of the moments is printed.
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createDynamoDbBatches } from '../../lib/batches/dynamodb-batches.ts';
import { createSeededRandom } from '../support/time-and-chance.ts';
import { type RunningCli, startCli } from './support/cli.ts';
import { aDirectory } from './support/files.ts';
import { ibanOf } from './support/ibans.ts';
import { anAws } from './support/aws.ts';

const files = aDirectory();
const queue = anAws();
const same = ['--merchant', 'acme-eu', '--operation', 'payout', '--endpoint', '39915', '--yes', '--json'];
const rowCount = 1_650;
const parts = 4;

const idOf = (index: number) => `INV-${String(index).padStart(6, '0')}`;
const allIds = Array.from({ length: rowCount }, (_, index) => idOf(index));

function aFile(name: string): Promise<string> {
  const line = (id: string) => `${id},10.42,EUR,Invoice ${name},${ibanOf(name + id)},Cool bank`;
  return files.file(name, `order_id,amount,currency,description,iban,bank\n${allIds.map(line).join('\n')}\n`);
}

function batches() {
  return createDynamoDbBatches({
    client: queue.dynamodb(),
    tableName: queue.aws().batchesTableName,
    itemLifeDays: 400,
    nowMs: Date.now,
    sleep,
  });
}

/** Few calls at once: there must be time to be killed in. */
const start = (file: string, batch: string): RunningCli =>
  startCli(['submit', file, '--batch', batch, ...same], { cwd: files.path(), env: queue.env() });

/** Waits until the queue has taken this many messages more, or the command has ended. */
async function onceTaken(more: number, running: RunningCli): Promise<void> {
  const goal = (await queue.depth()) + more;
  while (running.child.exitCode === null && (await queue.depth()) < goal) await sleep(3);
}

describe('killed and run again', () => {
  it.each([1, 2])('the queue holds exactly the rows of the file (seed %i)', async (seed) => {
    const random = createSeededRandom(seed);
    const [file, batch] = [await aFile(`killed-${seed}.csv`), `killed-${seed}`];
    let kills = 0;
    for (const most of [0, 40, 400, 700]) {
      const running = start(file, batch);
      await onceTaken(Math.floor(random.chance() * most), running);
      await sleep(random.chance() * 20);
      running.child.kill('SIGKILL');
      if ((await running.ended).signal === 'SIGKILL') kills += 1;
    }
    expect(kills).toBeGreaterThan(2);
    const before = await batches().nextPart(batch);

    const { code, stdout } = await start(file, batch).ended;
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      outcome: 'uploaded',
      resumedAfter: before * 500,
      sent: rowCount - before * 500,
    });
    const jobs = await queue.takeJobs();
    expect([...new Set(jobs.map(({ orderId }) => orderId))].toSorted()).toEqual(allIds);
    expect(new Set(jobs.map((job) => JSON.stringify(job))).size).toBe(rowCount);

    const noted: string[] = [];
    for await (const part of batches().parts({ batchId: batch, parts }))
      noted.push(...part.rows.map((it) => it.orderKey));
    expect(noted).toEqual(allIds.map((id) => `acme-eu/${id}`));
    expect(await batches().find(batch)).toMatchObject({ state: 'uploaded', rows: rowCount });
  });
});

describe('interrupted', () => {
  it('stops cleanly, says so, and goes on', async () => {
    const file = await aFile('stopped.csv');
    const running = start(file, 'stopped');
    await onceTaken(300, running);
    running.child.kill('SIGINT');
    const stopped = await running.ended;
    expect(stopped).toMatchObject({ code: 1, signal: null });
    const { sent } = JSON.parse(stopped.stdout);
    expect(sent).toBeLessThan(rowCount);
    const first = await queue.takeJobs();
    expect(first).toHaveLength(sent);

    expect(await start(file, 'stopped').ended).toMatchObject({ code: 0 });
    const ids = [...first, ...(await queue.takeJobs())].map(({ orderId }) => orderId);
    expect([...new Set(ids)].toSorted()).toEqual(allIds);
  });
});
