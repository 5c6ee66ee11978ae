// Payments that two persons release: without a proof that holds, a message moves no money and takes no order id.
import { beforeEach, describe, expect, it } from 'vitest';
import { approvalOf } from '../../lib/batches/approval.ts';
import { newBatch } from '../../lib/batches/batch.ts';
import { aPayoutJob, anEligibilityJob, type JobBody, jobOf } from '../support/jobs.ts';
import { aRecord, deliveryOf, redelivered } from '../support/records.ts';
import { startMs } from '../support/time-and-chance.ts';
import { aWorld, type World } from '../support/world.ts';

const hour = 3_600_000;
const key = Buffer.alloc(32, 7).toString('base64url');
const content = { batchId: 'nov', fileHash: 'ab', contentHash: 'cd', rows: 1, totals: {} };
let world: World;

beforeEach(async () => {
  world = aWorld({ profile: { twoPersonRelease: true } });
  await approve('nov', key);
});

async function approve(batchId: string, itsKey: string): Promise<void> {
  const batch = newBatch({ ...content, batchId, by: 'ada', nowMs: startMs, heldUntilMs: startMs + hour });
  await world.batches.register(batch);
  const approval = { by: 'grace', atMs: startMs, expiresAtMs: startMs + hour };
  expect(await world.batches.approve(batch, approval, itsKey)).toEqual({ kind: 'moved' });
}

/** A payout with its proof. */
function approved(changes: Partial<JobBody> = {}): JobBody {
  const body = aPayoutJob({ batchId: 'nov', ...changes });
  return { ...body, approval: approvalOf(jobOf(body), { key }) };
}

const refusal = (why: string) => ({
  status: 'failed',
  failure: { code: 'NOT_APPROVED', message: `two-person release: ${why}` },
});

function expectNothingMoved(): void {
  expect(world.gateway.posts).toEqual([]);
  expect(world.entries.size).toBe(0);
}

it('an approved job is paid, and so is its copy after the approval has expired only told again', async () => {
  const record = aRecord(approved());
  expect(await world.deliver(record)).toEqual([]);
  expect(world.results.taken).toMatchObject([{ status: 'accepted', batchId: 'nov' }]);
  world.clock.advance(2 * hour);
  await world.deliver(redelivered(record));
  expect(world.gateway.posts).toHaveLength(1);
  expect(world.results.taken.map(({ status }) => status)).toEqual(['accepted', 'accepted']);
});

describe('is never claimed, goes to the dead-letter queue and is told', () => {
  const moved = aPayoutJob({ batchId: 'nov' });

  it.each<[what: string, body: () => JobBody, why: string]>([
    ['a job without an approval', () => moved, 'this job bears no approval'],
    ['one without a batch', () => ({ ...approved(), batchId: undefined }) as never, 'this job bears no approval'],
    ['a changed row', () => ({ ...approved(), params: { ...moved.params, amount: '99.00' } }), notWhat()],
    [
      'a row moved to a batch that nobody approved',
      () => ({ ...approved(), batchId: 'dec' }),
      'its batch is not approved',
    ],
    ['another row with this proof', () => ({ ...approved(), orderId: 'INV-2' }), notWhat()],
  ])('%s', async (_, body, why) => {
    expect(await world.deliver(aRecord(body()))).toEqual([]);
    expectNothingMoved();
    expect(world.results.taken).toMatchObject([refusal(why)]);
    expect(world.jobsQueue.deadLetters.taken).toMatchObject([{ reason: { code: 'NOT_APPROVED' } }]);
  });

  it('a row moved to another approved batch', async () => {
    await approve('dec', Buffer.alloc(32, 8).toString('base64url'));
    await world.deliver(aRecord({ ...approved(), batchId: 'dec' }));
    expectNothingMoved();
    expect(world.results.taken).toMatchObject([refusal(notWhat())]);
  });

  function notWhat(): string {
    return 'it is not what was approved for its batch';
  }
});

it('what nobody approved does not keep the approved job from being paid', async () => {
  await world.deliver(aRecord(aPayoutJob({ batchId: 'nov', params: { amount: '99.00' } })));
  await world.deliver(aRecord(approved()));
  expect(world.results.taken).toMatchObject([{ status: 'failed' }, { status: 'accepted', amount: '10.42' }]);
});

describe('an approval that has expired', () => {
  it('ends the job unsent, and takes no order id: a new approval may send it', async () => {
    world.clock.advance(hour);
    await world.deliver(aRecord(approved()));
    expect(world.gateway.posts).toEqual([]);
    expect(world.results.taken).toMatchObject([
      { ...refusal('the approval expired before it was sent'), batchId: 'nov' },
    ]);
    expect(world.jobsQueue.deadLetters.taken).toMatchObject([{ reason: { code: 'NOT_APPROVED' } }]);
    expect(world.entries.size).toBe(0);
  });

  it('lets no retry out after it', async () => {
    world.gateway.moods('refuses the connection');
    const record = aRecord(approved());
    expect(await world.deliver(record)).toEqual([]);
    world.clock.advance(hour);
    await world.deliver(redelivered(record));
    expect(world.gateway.posts).toEqual([]);
    expect(world.results.taken).toMatchObject([refusal('the approval expired before it was sent')]);
  });
});

describe('what is not known now', () => {
  it('waits, and loses no receive: the batch can not be read', async () => {
    world.ports.approvals.of = () => Promise.reject(new Error('the table did not answer'));
    expect(await world.deliver(aRecord(approved()))).toEqual([]);
    expectNothingMoved();
    expect(world.results.taken).toEqual([]);
    expect(world.jobsQueue.copies.taken).toHaveLength(1);
  });

  it("is never sent unproven: the merchant's secret comes back between the check and the send", async () => {
    world.credentials.outage('down');
    const asked = world.ports.approvals.needed;
    world.ports.approvals.needed = async (job) => {
      const needed = await asked(job);
      world.credentials.outage('up');
      return needed;
    };
    await world.deliver(aRecord(aPayoutJob({ batchId: 'nov' })));
    expect(world.gateway.posts).toEqual([]);
    // It waits, and the next time its approval is asked for.
    expect(world.entries.size).toBe(0);
    world.ports.approvals.needed = asked;
    for (const copy of world.jobsQueue.copies.taken) await world.deliver(deliveryOf(copy));
    expect(world.results.taken).toMatchObject([refusal('this job bears no approval')]);
  });
});

describe('needs no approval', () => {
  it('a check, which moves no money', async () => {
    await world.deliver(aRecord(anEligibilityJob()));
    expect(world.gateway.posts).toHaveLength(1);
  });

  it('a merchant whose profile does not ask for it, whatever the message bears', async () => {
    world = aWorld();
    await world.deliver(aRecord({ ...aPayoutJob(), approval: 'A'.repeat(43) }));
    expect(world.results.taken).toMatchObject([{ status: 'accepted' }]);
  });
});

it('an approval is read once for all jobs of its batch', async () => {
  let reads = 0;
  const { grantOf } = world.batches;
  world.batches.grantOf = (batchId) => {
    reads += 1;
    return grantOf(batchId);
  };
  for (let order = 1; order <= 25; order += 1) await world.deliver(aRecord(approved({ orderId: `INV-${order}` })));
  expect(world.gateway.posts).toHaveLength(25);
  expect(reads).toBe(1);
});
