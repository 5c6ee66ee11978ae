// Payments that two persons release: without a proof that holds, a message moves no money and takes no order id.
import { beforeEach, describe, expect, it } from 'vitest';
import { anApprovalKey, approvalOf, approved } from '../support/approvals.ts';
import { sealJob } from '../../lib/client/jose-seal-job.ts';
import { cardJwks } from '../support/card-keys.ts';
import { aPayoutJob, aTransferJob, anEligibilityJob, type JobBody } from '../support/jobs.ts';
import { aRecord, redelivered } from '../support/records.ts';
import { aWorld, type World } from '../support/world.ts';

const hour = 3_600_000;
let world: World;
let rows: JobBody[];

/** Thirty rows, registered by ada and approved by grace for an hour. */
beforeEach(async () => {
  world = aWorld({ profile: { twoPersonRelease: true } });
  const bodies = Array.from({ length: 30 }, (_, n) => aPayoutJob({ orderId: `INV-${n + 1}` }));
  rows = await approved(world.batches, world.approvalKey, bodies);
});

/** A row as it was approved. */
const row = (n: number): JobBody => rows[n - 1] ?? aPayoutJob();

const refusal = (why: string) => ({
  status: 'rejected',
  failure: { code: 'NOT_APPROVED', message: `two-person release: ${why}` },
});

function expectNothingMoved(): void {
  expect(world.gateway.posts).toEqual([]);
  expect(world.entries.size).toBe(0);
}

it('an approved job is paid, and so is its copy after the approval has expired only told again', async () => {
  const record = aRecord(row(1));
  expect(await world.deliver(record)).toEqual([]);
  expect(world.results.taken).toMatchObject([{ status: 'accepted', batchId: 'nov' }]);
  world.clock.advance(2 * hour);
  await world.deliver(redelivered(record));
  expect(world.gateway.posts).toHaveLength(1);
  expect(world.results.taken.map(({ status }) => status)).toEqual(['accepted', 'accepted']);
});

describe('is never claimed, goes to the dead-letter queue and is told', () => {
  const anotherBatch = () => approved(world.batches, world.approvalKey, [aPayoutJob()], { batchId: 'dec' });

  it.each<[what: string, body: () => JobBody | Promise<JobBody>, why: string]>([
    ['a job without an approval', () => aPayoutJob({ batchId: 'nov' }), 'this job bears no approval'],
    ['one without a batch', () => ({ ...row(1), batchId: undefined }) as never, 'this job bears no approval'],
    ['a changed row', () => ({ ...row(1), params: { ...row(1).params, amount: '99.00' } }), notWhat()],
    ['a row to another account', () => ({ ...row(1), params: { ...row(1).params, account_number: 'X1' } }), notWhat()],
    ['a row of a batch that nobody approved', () => ({ ...row(1), batchId: 'jan' }), 'its batch is not approved'],
    ['another order with the proof of a row', () => ({ ...row(1), orderId: 'EVIL' }), notWhat()],
    ['a row with the proof of another', () => ({ ...row(1), approval: row(2).approval ?? '' }), notWhat()],
    [
      'a row moved to another approved batch',
      async () => (await anotherBatch(), { ...row(1), batchId: 'dec' }),
      notWhat(),
    ],
    [
      'a row with the proof of another batch',
      async () => ({ ...row(1), approval: (await anotherBatch())[0]?.approval ?? '' }),
      notWhat(),
    ],
    [
      'a row whose place is forged',
      () => ({ ...row(1), approval: row(1).approval?.replace('0.', '7.') ?? '' }),
      notWhat(),
    ],
    ['a proof as it was made before', () => ({ ...row(1), approval: 'A'.repeat(43) }), notWhat()],
  ])('%s', async (_, body, why) => {
    expect(await world.deliver(aRecord(await body()))).toEqual([]);
    expectNothingMoved();
    expect(world.results.taken).toMatchObject([refusal(why)]);
    expect(world.jobsQueue.deadLetters.taken).toMatchObject([{ reason: { code: 'NOT_APPROVED' } }]);
  });

  it('rows that their registrar has approved with a key of her own, and written into the table', async () => {
    const forger = anApprovalKey('whatever the registrar can read or make');
    const evil = aPayoutJob({ orderId: 'EVIL', params: { amount: '50000.00', account_number: 'ATTACKER' } });
    const [forged] = await approved(world.batches, forger, [evil], { batchId: 'evil' });
    await world.deliver(aRecord(forged ?? evil));
    expectNothingMoved();
    expect(world.results.taken).toMatchObject([refusal('the approval of its batch was not made by an approver')]);
  });

  it('rows that one person has registered and approved in two roles', async () => {
    const [registrar = '', approver = ''] = ['Register_01', 'Approve_fe'].map(
      (role) => `arn:aws:sts::111122223333:assumed-role/AWSReservedSSO_${role}/jane@corp.example`,
    );
    // Past the tool, which refuses it: with both roles in hand the MAC itself can be made.
    const { grantOf } = world.batches;
    const own = await approvalOf([aPayoutJob()], world.approvalKey, { batchId: 'own', registrar, approver });
    world.batches.grantOf = async (batchId) => (batchId === 'own' ? own.grant : grantOf(batchId));
    await world.deliver(aRecord(own.bodies[0] ?? aPayoutJob()));
    expectNothingMoved();
    expect(world.results.taken).toMatchObject([refusal('its batch was registered and approved by one person')]);
  });

  function notWhat(): string {
    return 'it is not what was approved for its batch';
  }
});

describe('a row with a card', () => {
  const withCard = (number: string) => aTransferJob({ orderId: 'CARD-1', params: { credit_card_number: number } });
  const sealed = async (body: JobBody, number: string): Promise<JobBody> => {
    const { approval, batchId } = body;
    const seal = await sealJob(
      { ...withCard(number), ...(batchId !== undefined && { batchId }) },
      { jwks: cardJwks, cardKeys: world.cardKeyStore },
    );
    return { ...seal, ...(approval !== undefined && { approval }) };
  };

  it('is approved with its card in the clear, and sent sealed under any seal: the card is what counts', async () => {
    const [transfer] = await approved(world.batches, world.approvalKey, [withCard('4111111111111111')], {
      batchId: 'c',
    });
    const job = transfer ?? withCard('');
    await world.deliver(aRecord(await sealed(job, '5555555555554444')));
    expectNothingMoved();
    expect(world.results.taken).toMatchObject([refusal('it is not what was approved for its batch')]);
    await world.deliver(aRecord(await sealed(job, '4111111111111111')));
    expect(world.gateway.posts).toHaveLength(1);
  });
});

it.each([
  ['of another amount', aPayoutJob({ batchId: 'nov', params: { amount: '99.00' } })],
  ['a check', anEligibilityJob({ orderId: 'INV-1' })],
  ['a check in its batch', anEligibilityJob({ orderId: 'INV-1', batchId: 'nov' })],
])('what nobody approved does not take the order id of the approved job: %s', async (_, unapproved) => {
  await world.deliver(aRecord(unapproved));
  await world.deliver(aRecord(row(1)));
  expect(world.results.taken).toMatchObject([
    { status: 'rejected', failure: { code: 'NOT_APPROVED' } },
    { status: 'accepted', amount: '10.42' },
  ]);
});

describe('an approval that has expired', () => {
  it('ends the job unsent, and takes no order id: a new approval may send it', async () => {
    world.clock.advance(hour);
    await world.deliver(aRecord(row(1)));
    expect(world.gateway.posts).toEqual([]);
    expect(world.results.taken).toMatchObject([
      { ...refusal('the approval expired before it was sent'), batchId: 'nov' },
    ]);
    expect(world.jobsQueue.deadLetters.taken).toMatchObject([{ reason: { code: 'NOT_APPROVED' } }]);
    expect(world.entries.size).toBe(0);
  });

  it('lets no retry out after it', async () => {
    world.gateway.moods('refuses the connection');
    const record = aRecord(row(1));
    expect(await world.deliver(record)).toEqual([]);
    world.clock.advance(hour);
    await world.deliver(redelivered(record));
    expect(world.gateway.posts).toEqual([]);
    // Its order had begun, and has ended.
    const ended = { ...refusal('the approval expired before it was sent'), status: 'failed', revision: 1 };
    expect(world.results.taken).toMatchObject([ended]);
  });
});

describe('what is not known now', () => {
  it('waits, and loses no receive: the batch can not be read', async () => {
    world.ports.approvals.of = () => Promise.reject(new Error('the table did not answer'));
    expect(await world.deliver(aRecord(row(1)))).toEqual([]);
    expectNothingMoved();
    expect(world.results.taken).toEqual([]);
    expect(world.waits()).toHaveLength(1);
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
    await world.again();
    expect(world.results.taken).toMatchObject([refusal('this job bears no approval')]);
  });
});

describe('needs no approval', () => {
  it('a merchant whose profile does not ask for it, whatever the message bears', async () => {
    world = aWorld();
    await world.deliver(aRecord({ ...aPayoutJob(), approval: 'A'.repeat(43) }));
    expect(world.results.taken).toMatchObject([{ status: 'accepted' }]);
  });
});

it('an approval is read and checked once for all jobs of its batch', async () => {
  let reads = 0;
  const { grantOf } = world.batches;
  world.batches.grantOf = (batchId) => {
    reads += 1;
    return grantOf(batchId);
  };
  const before = world.approvalKey.calls;
  for (let order = 1; order <= 25; order += 1) await world.deliver(aRecord(row(order)));
  expect(world.gateway.posts).toHaveLength(25);
  expect(reads).toBe(1);
  expect(world.approvalKey.calls - before).toBe(1);
});
