// Is this file new, half sent, sent, or another batch's? Told from the table alone.
import { describe, expect, it } from 'vitest';
import { newBatch } from '../../lib/batches/batch.ts';
import {
  type Approvable,
  approveBatch,
  judgeApproval,
  openUpload,
  type UploadRequest,
} from '../../lib/batches/open-upload.ts';
import { anApprovalKey } from '../support/approvals.ts';
import { createMemoryBatches } from '../support/memory-batches.ts';
import { createManualClock, startMs } from '../support/time-and-chance.ts';

const request: UploadRequest = {
  batchId: 'nov',
  fileHash: 'ab',
  contentHash: '12',
  rows: 700,
  totals: { EUR: { count: 700, minorUnits: 729_400n } },
  merchant: 'acme-eu',
  by: 'ada',
  again: false,
  needsApproval: false,
};

function aDesk() {
  const batches = createMemoryBatches();
  const clock = createManualClock();
  const ports = { batches, clock };
  return {
    batches,
    clock,
    open: (changes: Partial<UploadRequest> = {}) => openUpload({ ...request, ...changes }, ports),
  };
}

describe('a file', () => {
  it('that is new is registered, and begins at its first row', async () => {
    const { open, batches } = aDesk();
    expect(await open()).toMatchObject({ kind: 'upload', firstPart: 0, firstToNote: 0 });
    expect(await batches.find('nov')).toMatchObject({ state: 'uploading', by: 'ada', parts: 2, createdAtMs: startMs });
  });

  it('that was sent is refused, unless it is to be sent again, and then from its first row', async () => {
    const { open, batches } = aDesk();
    await open();
    await batches.finishUpload('nov', startMs);
    expect(await open()).toMatchObject({ kind: 'sent-already', batch: { batchId: 'nov' } });
    expect(await open({ again: true })).toMatchObject({ kind: 'upload', firstPart: 0, firstToNote: 2 });
  });

  it('that another batch took is refused, and registers nothing; sent again it may be another batch', async () => {
    const { open, batches } = aDesk();
    await open();
    expect(await open({ batchId: 'dec' })).toMatchObject({ kind: 'file-known', batchId: 'nov', batch: { by: 'ada' } });
    expect(await batches.find('dec')).toBeUndefined();
    expect(await open({ batchId: 'dec', again: true })).toMatchObject({ kind: 'upload', batch: { batchId: 'dec' } });
  });

  it("may not take another file's batch, nor be read in another way under its own", async () => {
    const { open } = aDesk();
    await open();
    expect(await open({ fileHash: 'cd' })).toMatchObject({ kind: 'other-content', sameFile: false });
    expect(await open({ rows: 699 })).toMatchObject({ kind: 'other-content', sameFile: true });
    expect(await open({ totals: { EUR: { count: 700, minorUnits: 1n } }, again: true })).toMatchObject({
      kind: 'other-content',
      sameFile: true,
    });
  });
});

describe('a file that two persons release', () => {
  const heldUntilMs = startMs + 60_000;
  const proof = { root: 'r', blind: 'b', mac: 'm' };
  const approval = { by: 'grace', atMs: startMs, expiresAtMs: heldUntilMs };

  it('is not sent, nor even registered, before it is held', async () => {
    const { open, batches } = aDesk();
    expect(await open({ needsApproval: true })).toEqual({ kind: 'hold-first' });
    expect(await batches.find('nov')).toBeUndefined();
    expect(await open()).toMatchObject({ kind: 'upload' });
    expect(await open({ needsApproval: true })).toEqual({ kind: 'hold-first' });
  });

  it('is held, and the same again; then it waits for somebody else', async () => {
    const { open } = aDesk();
    const held = { kind: 'held', batch: { state: 'awaiting-approval', heldUntilMs, by: 'ada' } };
    expect(await open({ needsApproval: true, heldUntilMs })).toMatchObject(held);
    expect(await open({ needsApproval: true, heldUntilMs: heldUntilMs + 1 })).toMatchObject(held);
    expect(await open({ needsApproval: true })).toMatchObject({ kind: 'awaiting-approval' });
    expect(await open({ again: true })).toMatchObject({ kind: 'awaiting-approval' });
  });

  it('is sent under its approval, and goes on under it', async () => {
    const { open, batches } = aDesk();
    await open({ heldUntilMs });
    await batches.approve(request, approval, proof);
    const grant = { registrar: 'ada', approver: 'grace', rows: 700, expiresAtMs: heldUntilMs, ...proof };
    expect(await open({ needsApproval: true })).toMatchObject({
      kind: 'upload',
      firstPart: 0,
      grant,
      batch: { state: 'uploading' },
    });
    await batches.putPart('nov', 0, []);
    expect(await open({ needsApproval: true })).toMatchObject({ kind: 'upload', firstPart: 1, grant });
    await batches.finishUpload('nov', startMs);
    const sent = await open({ needsApproval: true });
    expect(sent).toMatchObject({ kind: 'sent-already' });
    // Without rows to send, the approval is not given.
    expect(sent).not.toHaveProperty('grant');
    expect(await open({ needsApproval: true, again: true })).toMatchObject({ kind: 'upload', firstPart: 0, grant });
  });

  it('is held and released anew under another id once its hold is over, and not before', async () => {
    const { open, batches, clock } = aDesk();
    await open({ heldUntilMs });
    await batches.approve(request, approval, proof);
    const anew = { batchId: 'nov-2', needsApproval: true, heldUntilMs: heldUntilMs + 60_000 };
    expect(await open(anew)).toMatchObject({ kind: 'file-known', batchId: 'nov' });
    clock.advanceTo(heldUntilMs);
    expect(await open({ batchId: 'nov-2' })).toMatchObject({ kind: 'file-known', batchId: 'nov' });
    expect(await open(anew)).toMatchObject({ kind: 'held', batch: { batchId: 'nov-2' } });
    await batches.approve({ ...request, batchId: 'nov-2' }, { ...approval, expiresAtMs: anew.heldUntilMs }, proof);
    expect(await open({ batchId: 'nov-2', needsApproval: true })).toMatchObject({ kind: 'upload', firstPart: 0 });
  });
});

// Who may approve what, and that the store's own conditions have the last word.

const heldUntilMs = startMs + 60_000;
const content = { batchId: 'nov', fileHash: 'ab', contentHash: '12', rows: 2, totals: {} };
const made = () => ({ maker: anApprovalKey(), root: 'r', blind: 'b' });

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
  expect(await approveBatch(grace, judged as Approvable, made(), ports)).toEqual({
    kind: 'approved',
    expiresAtMs: heldUntilMs,
  });
  expect(await ports.batches.find('nov')).toMatchObject({
    state: 'approved',
    approval: { by: 'grace', reason: 'checked', atMs: startMs, expiresAtMs: heldUntilMs },
  });
  expect(await ports.batches.grantOf('nov')).toMatchObject({ registrar: 'ada', approver: 'grace', rows: 2, root: 'r' });
});

describe('is refused', () => {
  it.each([
    ['to the one who registered it', { by: 'ada' }, { kind: 'same-person' }],
    [
      'to the same person in another role',
      { by: 'arn:aws:sts::111122223333:assumed-role/Approve/Ada' },
      { kind: 'same-person' },
    ],
    ['to credentials that name no person', { by: 'arn:aws:iam::111122223333:root' }, { kind: 'unnamed' }],
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
});

it('a registrar who tries to approve is refused, and the sweeper is told', async () => {
  const ports = await aHeldBatch();
  await judgeApproval({ ...grace, by: 'ada' }, ports);
  expect(await ports.batches.find('nov')).toMatchObject({ state: 'awaiting-approval', onePersonAtMs: startMs });
});
