// A letter is judged by the ledger, the controls and the contract as they stand now: what is gathered for it here is what a
// plan, a redrive and a discard rest on.
import { describe, expect, it } from 'vitest';
import { factsOf, judgeDeadLetter } from '../../lib/dead-letters/judge-dead-letter.ts';
import { approved } from '../support/approvals.ts';
import { aDeadLetterWorld, type DeadLetterWorld } from '../support/dead-letter-world.ts';
import { someCredentials } from '../support/fake-credentials.ts';
import { aPayoutJob, anEligibilityJob, type JobBody, jobOf } from '../support/jobs.ts';
import { aRecord } from '../support/records.ts';
import { startMs } from '../support/time-and-chance.ts';

const hour = 3_600_000;

/** The body as a letter that SQS moved aside. */
const letterOf = ({ deadLetters }: DeadLetterWorld, body: JobBody | string) => deadLetters.move(aRecord(body), 'l-1');
const judged = (it: DeadLetterWorld, body: JobBody | string) => judgeDeadLetter(letterOf(it, body), it.ports);
const gathered = (it: DeadLetterWorld, body: JobBody) => factsOf(jobOf(body), startMs, it.ports);

describe('what is said of a letter', () => {
  it('is its class, and the order, batch and money that a plan sums up', async () => {
    expect(await judged(aDeadLetterWorld(), aPayoutJob({ batchId: 'b-1' }))).toStrictEqual({
      messageId: 'l-1',
      class: 'submit',
      because: 'new',
      changes: true,
      order: 'acme-eu/INV-1',
      batchId: 'b-1',
      money: { currency: 'EUR', minorUnits: 1042n },
    });
  });

  it('names no batch and no money where there is none', async () => {
    expect(await judged(aDeadLetterWorld(), anEligibilityJob())).toEqual({
      messageId: 'l-1',
      class: 'submit',
      because: 'new',
      changes: true,
      order: 'acme-eu/CHK-1',
    });
  });

  it('that can’t be read is that it would come straight back', async () => {
    expect(await judged(aDeadLetterWorld(), 'no job')).toStrictEqual({
      messageId: 'l-1',
      class: 'reject',
      because: 'INVALID_MESSAGE',
      changes: false,
    });
  });

  it('holds the cap of the day that it counts towards, and the room that is left of it', async () => {
    const it = aDeadLetterWorld({ profile: { caps: { EUR: { perDay: '25.00' } } } });
    await it.world.deliver(aRecord(aPayoutJob({ orderId: 'PAID' })));
    expect(await judged(it, aPayoutJob())).toMatchObject({
      dayCaps: [{ name: 'acme-eu perDay EUR', counts: 1042n, room: 1458n }],
    });
    // Another day, another 25 EUR.
    it.world.clock.advance(24 * hour);
    expect(await judged(it, aPayoutJob())).toMatchObject({ dayCaps: [{ room: 2500n }] });
  });

  it('is not said while the ledger does not answer: a guess might be wrong', async () => {
    const it = aDeadLetterWorld();
    it.world.orders.stays('down', 'read');
    await expect(judged(it, aPayoutJob())).rejects.toThrow('the ledger did not answer');
  });
});

describe('of the secret', () => {
  it('a key that signs the job must be there, or the letter waits for it', async () => {
    const { keys, ...others } = someCredentials();
    const { 'HMAC-SHA1': _, ...rsaAlone } = keys;
    const it = aDeadLetterWorld({ merchants: { 'acme-eu': { ...others, keys: rsaAlone } } });
    expect(await judged(it, aPayoutJob())).toMatchObject({ class: 'submit', because: 'new' });
    // A check is signed by the other.
    expect(await judged(it, anEligibilityJob())).toMatchObject({ class: 'wait', because: 'SECRET_INVALID' });
  });

  it('nothing is known if the merchant is unknown, not even a cap', async () => {
    const facts = await gathered(aDeadLetterWorld(), aPayoutJob({ merchant: 'unknown-eu' }));
    expect(facts.passage).toMatchObject({ by: 'credentials', verdict: { because: { code: 'MERCHANT_UNKNOWN' } } });
    expect(facts.dayCaps).toEqual([]);
  });
});

describe('a letter of a merchant whose payments two persons release', () => {
  /** A batch that is approved for an hour, and its only row. */
  async function twoPersons(): Promise<DeadLetterWorld & { readonly row: JobBody }> {
    const it = aDeadLetterWorld({ profile: { twoPersonRelease: true } });
    const [row = aPayoutJob()] = await approved(it.world.batches, it.world.approvalKey, [aPayoutJob()]);
    return { ...it, row };
  }

  it('is closed for good without an approval', async () => {
    const { passage } = await gathered(await twoPersons(), aPayoutJob({ batchId: 'nov' }));
    expect(passage).toMatchObject({
      by: 'approval',
      verdict: {
        kind: 'refuse',
        failure: { code: 'NOT_APPROVED', message: 'two-person release: this job has no approval' },
      },
    });
  });

  it('waits while the approval can’t be read: it may be approved after all', async () => {
    const it = await twoPersons();
    it.world.ports.approvals.of = () => Promise.reject(new Error('the table did not answer'));
    expect(await judged(it, it.row)).toMatchObject({ class: 'wait', because: 'approval-unknown' });
  });
});
