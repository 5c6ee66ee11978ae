// What lib/payout/wait promises of the table of parked jobs and of the leader's item, as stories.
import { beforeAll, describe, expect, it } from 'vitest';
import {
  isUnproven,
  unproven,
  type ParkedHead,
  type ParkedJob,
  type ParkedJobs,
} from '../../lib/payout/wait/parked-job.ts';
import type { Leader } from '../../lib/payout/wait/release.ts';
import { startMs } from '../support/time-and-chance.ts';

let names = 0;
/** Every story has a merchant of its own, so that one store serves them all. */
const aMerchant = () => `merchant-${(names += 1)}`;
const aDigest = () => Buffer.from(`digest ${(names += 1)}`).toString('base64url');

/** A job of an order of its own, unless a story says otherwise. */
export function aParkedJob(changes: Partial<ParkedJob> = {}): ParkedJob {
  const merchant = changes.lane?.merchant ?? aMerchant();
  return {
    key: `${merchant}/INV-${(names += 1)}`,
    digest: aDigest(),
    lane: { merchant, endpointId: '1144' },
    class: 'urgent',
    goAtMs: startMs,
    sinceMs: startMs - 5_000,
    messageId: 'message-1',
    because: 'pace',
    sealed: { wrappedKey: 'key1', iv: 'aXYx', text: 'c2VhbGVk' },
    begun: 0,
    ...changes,
  };
}

/** Of what the index shows late, the suite asks until it is there. */
async function soon<T>(ask: () => Promise<T>, isThere: (answer: T) => boolean): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    const answer = await ask();
    if (isThere(answer) || tries === 50) return answer;
    await new Promise((resolve) => void setTimeout(resolve, 20));
  }
}

const headOf = ({ sealed: _1, begun: _2, messageId: _3, redrives: _4, groupId: _5, ...head }: ParkedJob): ParkedHead =>
  head;
const digests = (jobs: readonly ParkedHead[]) => jobs.map(({ digest }) => digest);

/** Runs the suite. */
export function describeWaiting(name: string, make: () => ParkedJobs): void {
  describe(`a parked job in ${name}`, () => {
    let jobs: ParkedJobs;
    beforeAll(() => void (jobs = make()));

    const put = async (changes: Partial<ParkedJob> = {}): Promise<ParkedJob> => {
      const job = aParkedJob(changes);
      expect(await jobs.put(job)).toBe('parked');
      return job;
    };
    const aLane = () => ({ merchant: aMerchant(), endpointId: 'group/7' });

    it('is read as it was put, whole', async () => {
      const job = await put({
        class: 'row',
        expiresAtMs: startMs + 60_000,
        batchId: 'salaries',
        money: { currency: 'EUR', minorUnits: 12_345_678_901_234_567n },
        firstSentAtMs: startMs - 9_000,
        redrives: 2,
        groupId: 'acme',
      });
      expect(await jobs.ofOrder(job.key)).toEqual([headOf(job)]);
      expect(await jobs.begin(job, job.goAtMs)).toEqual({ ...job, begun: 1 });
    });

    it('is one job however often its message is put, and stays as it was', async () => {
      const job = await put();
      expect(await jobs.put({ ...job, because: 'again', messageId: 'another' })).toBe('parked');
      expect(await jobs.begin(job, job.goAtMs)).toEqual({ ...job, begun: 1 });
    });

    it('is one of eight of its order, and no ninth, until one leaves; what is not proven takes no place', async () => {
      const { key, lane } = aParkedJob();
      const its = { key, ...(lane && { lane }) };
      for (let n = 0; n < 20; n += 1) await put({ ...its, digest: unproven(aDigest()) });
      for (let n = 0; n < 8; n += 1) await put(its);
      expect(await jobs.put(aParkedJob(its))).toBe('full');
      const first = (await jobs.ofOrder(key)).find((it) => !isUnproven(it));
      if (first) await jobs.remove(first);
      await put(its);
      // All eight are shown, and not every one of the others, of which a sender may put any number.
      const shown = await jobs.ofOrder(key);
      expect([shown.filter((it) => !isUnproven(it)).length, shown.length]).toEqual([8, 16]);
    });

    it('is begun, and moved, under its lease alone; a lease counts one beginning', async () => {
      const job = await put();
      expect(await jobs.begin(job, startMs + 1)).toBeUndefined();
      expect(await jobs.begin(job, startMs)).toEqual({ ...job, begun: 1 });
      // A reference that comes twice, or a call that is repeated.
      expect(await jobs.begin(job, startMs)).toEqual({ ...job, begun: 1 });
      expect(await jobs.move(job, startMs + 1, { because: 'busy', goAtMs: startMs + 9 })).toBe(false);
      expect(await jobs.move(job, startMs, { because: 'busy', goAtMs: startMs + 9 })).toBe(true);
      expect(await jobs.ofOrder(job.key)).toEqual([headOf({ ...job, because: 'busy', goAtMs: startMs + 9 })]);
      expect(await jobs.begin(job, startMs + 9)).toMatchObject({ begun: 2 });
      expect(await jobs.move(job, startMs + 9, { because: 'pace', goAtMs: startMs, begun: 0 })).toBe(true);
      expect(await jobs.begin(job, startMs)).toEqual({ ...job, begun: 1 });
    });

    it('is gone once it was removed, whatever its moment; it is neither begun nor moved', async () => {
      const job = await put();
      await jobs.remove(job);
      await jobs.remove(job);
      expect(await jobs.begin(job, startMs)).toBeUndefined();
      expect(await jobs.move(job, startMs, { because: 'busy', goAtMs: 0 })).toBe(false);
      expect(await jobs.ofOrder(job.key)).toEqual([]);
    });

    it('is in the line of its class by its moment while it waits for pace, else in that of moments', async () => {
      const lane = aLane();
      const [later, first] = [await put({ lane, goAtMs: startMs + 2_000 }), await put({ lane, goAtMs: startMs - 1 })];
      const row = await put({ lane, class: 'row' });
      const moved = await put({ lane });
      await jobs.move(moved, startMs, { because: 'busy', goAtMs: startMs + 5 });
      const line = await soon(
        () => jobs.first(lane, 'urgent', 10),
        (it) => it.length === 2,
      );
      expect(line).toEqual([headOf(first), headOf(later)]);
      expect(digests(await jobs.first(lane, 'urgent', 10, startMs))).toEqual([first.digest]);
      expect(digests(await jobs.first(lane, 'urgent', 1))).toEqual([first.digest]);
      expect(digests(await jobs.first(lane, 'row', 10))).toEqual([row.digest]);
      expect(digests(await jobs.first(lane, 'moments', 10))).toEqual([moved.digest]);
    });

    it('is in the common line where it has no lane', async () => {
      const { lane: _, ...rest } = aParkedJob();
      await jobs.put({ ...rest, because: 'again' });
      const line = await soon(
        () => jobs.first(undefined, 'moments', 100),
        (it) => digests(it).includes(rest.digest),
      );
      expect(digests(line)).toContain(rest.digest);
      expect(line.every(({ lane }) => lane === undefined)).toBe(true);
      await jobs.remove(rest);
    });

    it('is found by its expiry', async () => {
      const lane = aLane();
      const over = await put({ lane, expiresAtMs: startMs - 1 });
      await put({ lane, expiresAtMs: startMs + 1 });
      await put({ lane });
      const found = await soon(
        () => jobs.expired(lane, startMs, 10),
        (it) => it.length === 1,
      );
      expect(found).toEqual([headOf(over)]);
    });

    it('is shown as expired while it is in the line of its lane, and not while it waits for something else', async () => {
      const lane = aLane();
      const over = await put({ lane, expiresAtMs: startMs - 1 });
      await put({ lane, expiresAtMs: startMs - 1, because: 'undecided' });
      const expired = (count: number) =>
        soon(
          () => jobs.expired(lane, startMs, 10),
          (it) => it.length === count,
        );
      expect(digests(await expired(1))).toEqual([over.digest]);
      await jobs.move(over, startMs, { because: 'again', goAtMs: startMs + 1 });
      expect(await expired(0)).toEqual([]);
      await jobs.move(over, startMs + 1, { because: 'pace', goAtMs: startMs });
      expect(digests(await expired(1))).toEqual([over.digest]);
    });

    it('is counted by lane and class, with since when the first one waits; one that cannot be decided is not', async () => {
      const lane = aLane();
      expect(await jobs.length(lane, 'row')).toEqual({ rows: 0 });
      for (let n = 0; n < 4; n += 1) await put({ lane, class: 'row', sinceMs: startMs - 1_000 * n });
      await put({ lane, class: 'row', because: 'busy', sinceMs: startMs - 9_000, goAtMs: startMs + 1 });
      for (let n = 0; n < 30; n += 1)
        await put({ lane, class: 'row', because: 'undecided', sinceMs: startMs - 99_000, goAtMs: startMs - n });
      await put({ lane });
      const ofRows = await soon(
        () => jobs.length(lane, 'row'),
        (it) => it.rows === 5,
      );
      expect(ofRows).toEqual({ rows: 5, oldestSinceMs: startMs - 9_000 });
      expect((await jobs.length(lane, 'urgent')).rows).toBe(1);
    });

    it('waits from its own moment on, and is not late before', async () => {
      const lane = aLane();
      const its = { lane, because: 'not-before', sinceMs: startMs - 99_000 };
      for (const hours of [2, 1]) {
        const notBeforeMs = startMs + hours * 3_600_000;
        await put({ ...its, notBeforeMs, goAtMs: notBeforeMs });
      }
      const length = await soon(
        () => jobs.length(lane, 'urgent'),
        (it) => it.rows === 2,
      );
      expect(length).toEqual({ rows: 2, oldestSinceMs: startMs + 3_600_000 });
    });

    it('is in one of so many parts of all that waits', async () => {
      const { merchant } = aLane();
      const all = async (part?: { readonly part: number; readonly of: number }) => {
        const found: string[] = [];
        for await (const it of jobs.all(part)) if (it.lane?.merchant === merchant) found.push(it.digest);
        return found;
      };
      for (let n = 0; n < 20; n += 1) await put({ lane: { merchant, endpointId: '7' } });
      await soon(
        () => all(),
        (it) => it.length === 20,
      );
      const inParts: string[] = [];
      for (let part = 0; part < 4; part += 1) inParts.push(...(await all({ part, of: 4 })));
      expect(inParts.toSorted()).toEqual((await all()).toSorted());
    });
  });
}

/** Runs the suite. */
export function describeLeader(name: string, make: () => Leader): void {
  it(`the leader's item in ${name} bears the name that was written last`, async () => {
    const leader = make();
    await leader.write('first');
    await leader.write('second');
    expect(await leader.read()).toBe('second');
  });
}
