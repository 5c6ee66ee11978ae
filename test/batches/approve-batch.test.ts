// Who may approve what, and that the store's own conditions have the last word.
import { describe, expect, it } from 'vitest';
import { createMemoryBatches } from '../support/memory-batches.ts';
import { type Approvable, approveBatch, judgeApproval, withProof } from '../../lib/batches/open-upload.ts';
import { bearsApproval } from '../../lib/batches/approval.ts';
import { newBatch } from '../../lib/batches/batch.ts';
import { aPayoutJob, type JobBody, jobOf } from '../support/jobs.ts';
import { createManualClock, startMs } from '../support/time-and-chance.ts';

const heldUntilMs = startMs + 60_000;
const content = { batchId: 'nov', fileHash: 'ab', contentHash: '12', rows: 2, totals: {} };
const key = Buffer.alloc(32, 7).toString('base64url');

async function aHeldBatch() {
  const batches = createMemoryBatches();
  await batches.register(newBatch({ ...content, by: 'ada', nowMs: startMs, heldUntilMs }));
  return { batches, clock: createManualClock() };
}

const grace = { content, by: 'grace', reason: 'checked' };

it('somebody else approves exactly the registered file, until the hold ends', async () => {
  const ports = await aHeldBatch();
  const judged = await judgeApproval(grace, ports);
  expect(judged).toMatchObject({ kind: 'approvable', heldUntilMs, batch: { by: 'ada' } });
  expect(await approveBatch(grace, judged as Approvable, key, ports)).toEqual({
    kind: 'approved',
    expiresAtMs: heldUntilMs,
  });
  expect(await ports.batches.find('nov')).toMatchObject({
    state: 'approved',
    approval: { by: 'grace', reason: 'checked', atMs: startMs, expiresAtMs: heldUntilMs },
  });
  expect(await ports.batches.grantOf('nov')).toEqual({ key, expiresAtMs: heldUntilMs });
});

it('a reason is told where there is one', async () => {
  const ports = await aHeldBatch();
  const { reason: _, ...silent } = grace;
  await approveBatch(silent, (await judgeApproval(silent, ports)) as Approvable, key, ports);
  const batch = await ports.batches.find('nov');
  expect(batch?.approval).toStrictEqual({ by: 'grace', atMs: startMs, expiresAtMs: heldUntilMs });
});

describe('is refused', () => {
  it.each([
    ['to the one who registered it', { by: 'ada' }, { kind: 'same-person' }],
    ['for another file', { content: { ...content, fileHash: 'cd' } }, { kind: 'other-content', sameFile: false }],
    [
      'for the file read otherwise',
      { content: { ...content, contentHash: '34' } },
      { kind: 'other-content', sameFile: true },
    ],
    ['for other rows', { content: { ...content, rows: 3 } }, { kind: 'other-content', sameFile: true }],
    ['for no batch', { content: { ...content, batchId: 'dec' } }, { kind: 'absent' }],
  ])('%s', async (_, changes, expected) => {
    const ports = await aHeldBatch();
    expect(await judgeApproval({ ...grace, ...changes }, ports)).toMatchObject(expected);
  });

  it('after the hold, and a second time', async () => {
    const ports = await aHeldBatch();
    const judged = (await judgeApproval(grace, ports)) as Approvable;
    await approveBatch(grace, judged, key, ports);
    expect(await judgeApproval({ ...grace, by: 'eve' }, ports)).toMatchObject({ kind: 'not-waiting' });
    const late = await aHeldBatch();
    late.clock.advanceTo(heldUntilMs);
    expect(await judgeApproval(grace, late)).toMatchObject({ kind: 'too-late' });
  });

  it('without an end of its hold, which no registration leaves out', async () => {
    const { batches, clock } = await aHeldBatch();
    const endless = { ...newBatch({ ...content, by: 'ada', nowMs: startMs }), state: 'awaiting-approval' } as const;
    const find = async () => endless;
    expect(await judgeApproval(grace, { batches: { ...batches, find }, clock })).toEqual({
      kind: 'not-waiting',
      batch: endless,
    });
  });

  it('where somebody was quicker, or the time ran out, while this person was being asked', async () => {
    const ports = await aHeldBatch();
    const judged = (await judgeApproval(grace, ports)) as Approvable;
    await approveBatch({ ...grace, by: 'eve' }, judged, 'another key', ports);
    expect(await approveBatch(grace, judged, key, ports)).toMatchObject({
      kind: 'not-waiting',
      batch: { approval: { by: 'eve' } },
    });
    const late = await aHeldBatch();
    late.clock.advanceTo(heldUntilMs);
    expect(await approveBatch(grace, judged, key, late)).toMatchObject({ kind: 'too-late' });
  });
});

it('a store that refuses without a reason is not taken for an approval', async () => {
  const { batches, clock } = await aHeldBatch();
  const judged = (await judgeApproval(grace, { batches, clock })) as Approvable;
  const approve = async () => ({ kind: 'stands', batch: judged.batch }) as const;
  await expect(approveBatch(grace, judged, key, { batches: { ...batches, approve }, clock })).rejects.toThrow(
    'the approval was refused, and nothing says why',
  );
});

it('what is no job gets no proof', () => {
  const broken = aPayoutJob({ batchId: 'nov', params: { amount: 'x' } });
  expect(() => withProof({ ...broken }, { key, expiresAtMs: 0 })).toThrow(
    'what is about to be sent is no job any more',
  );
});

it('the proof is over the message as it leaves', () => {
  const message = { ...aPayoutJob({ batchId: 'nov' }), sealedParams: 'a.b.c.d.e' };
  const proven = withProof(message, { key, expiresAtMs: 0 });
  expect(bearsApproval(jobOf(proven as unknown as JobBody), { key })).toBe(true);
  expect(bearsApproval(jobOf({ ...proven, sealedParams: 'a.b.c.d.f' } as unknown as JobBody), { key })).toBe(false);
});
