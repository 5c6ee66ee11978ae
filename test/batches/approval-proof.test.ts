// The proof that a row was approved: any change to the row, its place, its batch's root or the way up breaks it.
import { createHash } from 'node:crypto';
import { assert, integer, nat, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  approvalText,
  isRowOf,
  leafOf,
  maybeOnePerson,
  personOf,
  proofsOf,
  rootOf,
  rowKeyOf,
} from '../../lib/batches/approval-proof.ts';
import { rowsPerPart } from '../../lib/batches/batch.ts';
import type { Job } from '../../lib/payout/message/job.ts';
import { anApprovalKey, approvalOf, someBlind } from '../support/approvals.ts';
import { aPayoutJob, aTransferJob, jobOf } from '../support/jobs.ts';

const maker = anApprovalKey();
const body = aPayoutJob({ context: { invoice: '1', more: { a: 1 } }, expiresAt: '2026-11-30T00:00:00Z' });
const { grant, bodies } = await approvalOf([aPayoutJob({ orderId: 'A' }), body, aPayoutJob({ orderId: 'C' })], maker);
const row: Job = jobOf(bodies[1] ?? body);

it('holds for the row, whatever the order of its fields', () => {
  expect(row.approval).toMatch(/^1\.[A-Za-z0-9_-]{86}$/);
  expect(isRowOf(row, grant)).toBe(true);
  const params = Object.fromEntries(Object.entries(row.params).toReversed());
  expect(isRowOf({ ...row, params }, grant)).toBe(true);
});

describe('is broken by', () => {
  it.each<[what: string, changes: Partial<Job>]>([
    ['another account', { params: { ...row.params, account_number: 'DE00000000000000000000' } }],
    ['another amount', { params: { ...row.params, amount: '10.43' } }],
    ['a further field', { params: { ...row.params, purpose: 'wages' } }],
    ['a field less', { params: Object.fromEntries(Object.entries(row.params).slice(1)) }],
    ['another order', { orderId: 'INV-2' }],
    ['another merchant', { merchant: 'globex' }],
    ['another endpoint', { endpointId: '1' }],
    ['another operation', { operation: 'transfer-by-ref' }],
    ['another context', { context: '{"invoice":"2"}' }],
    ['another beginning', { notBeforeMs: 1 }],
    ['a later end', { expiresAtMs: (row.expiresAtMs ?? 0) + 1 }],
    ['the name of an end, which would have it sent once more', { resends: 'end-1' }],
    ['another place', { approval: row.approval?.replace('1.', '0.') ?? '' }],
    ['a place beyond the last row', { approval: row.approval?.replace('1.', '3.') ?? '' }],
    ['a place with a leading zero', { approval: row.approval?.replace('1.', '01.') ?? '' }],
    ['another way', { approval: `1.${'A'.repeat(86)}` }],
    ['a longer way', { approval: `${row.approval}${'A'.repeat(43)}` }],
    ['a shorter way', { approval: row.approval?.slice(0, -43) ?? '' }],
    ['no way', { approval: '1.' }],
    ['a proof as it was made before there were roots', { approval: 'A'.repeat(43) }],
    ['no proof', { approval: '' }],
  ])('%s', (_, changes) => {
    expect(isRowOf({ ...row, ...changes }, grant)).toBe(false);
  });

  it.each<[what: string, changes: Partial<typeof grant>]>([
    ['a root of other rows', { root: Buffer.alloc(32, 9).toString('base64url') }],
    ['another number of rows', { rows: 5 }],
    ['another key of the rows', { blind: Buffer.alloc(32, 8).toString('base64url') }],
  ])('%s', (_, changes) => {
    expect(isRowOf(row, { ...grant, ...changes })).toBe(false);
  });

  it("the proof of another row: a row's hash is no node's, and a node is no row", async () => {
    const [first, , last] = bodies;
    expect(isRowOf({ ...row, approval: first?.approval ?? '' }, grant)).toBe(false);
    expect(isRowOf({ ...row, approval: last?.approval ?? '' }, grant)).toBe(false);
  });
});

it('does not depend on what serves one attempt alone, which the worker meets only after the claim', async () => {
  const withCvv = aTransferJob({ params: { credit_card_number: '4111111111111111', cvv2: '123' } });
  const { grant: its, bodies: one } = await approvalOf([withCvv], maker);
  const sent = jobOf(one[0] ?? withCvv);
  const { cvv2: _, ...others } = sent.params;
  expect(isRowOf({ ...sent, params: others }, its)).toBe(true);
  expect(isRowOf({ ...sent, params: { ...others, credit_card_number: '4222222222222' } }, its)).toBe(false);
});

it('holds for every row of a batch of any size, at its own place alone', () => {
  const jobs = Array.from({ length: 2 * rowsPerPart + 7 }, (_, n) => jobOf(aPayoutJob({ orderId: `R-${n}` })));
  assert(
    property(integer({ min: 1, max: jobs.length }), nat(), nat(), (rows, one, other) => {
      const leaves = jobs.slice(0, rows).map((job, at) => leafOf(job, at, rowKeyOf(someBlind)));
      const parts = Array.from({ length: Math.ceil(rows / rowsPerPart) }, (_, n) =>
        leaves.slice(n * rowsPerPart, (n + 1) * rowsPerPart),
      );
      const partRoots = parts.map(rootOf);
      const its = { rows, root: rootOf(partRoots).toString('base64url'), blind: someBlind };
      const [at, elsewhere] = [one % rows, other % rows];
      const proofs = proofsOf(Math.floor(at / rowsPerPart), parts[Math.floor(at / rowsPerPart)] ?? [], partRoots);
      const approval = proofs[at % rowsPerPart] ?? '';
      const jobAt = (n: number) => ({ ...(jobs[n] ?? row), approval });
      expect(isRowOf(jobAt(at), its)).toBe(true);
      expect(isRowOf(jobAt(elsewhere), its)).toBe(elsewhere === at);
    }),
    { numRuns: 60 },
  );
});

it('is the tree of RFC 6962: leaves begin with 0, nodes with 1, an odd one goes up as it is', () => {
  const node = (...parts: Buffer[]) =>
    createHash('sha256')
      .update(Buffer.concat([Buffer.of(1), ...parts]))
      .digest();
  const [a, b, c] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2), Buffer.alloc(32, 3)];
  expect(rootOf([a])).toEqual(a);
  expect(rootOf([a, b, c])).toEqual(node(node(a, b), c));
  expect(() => rootOf([])).toThrow(RangeError);
});

it('what the MAC is over names the batch and all of its approval', () => {
  const { mac: _, ...its } = grant;
  const texts = [
    approvalText('nov', its),
    approvalText('dec', its),
    approvalText('nov', { ...its, rows: 4 }),
    approvalText('nov', { ...its, expiresAtMs: its.expiresAtMs + 1 }),
    approvalText('nov', { ...its, registrar: 'eve' }),
    approvalText('nov', { ...its, approver: 'eve' }),
    approvalText('nov', { ...its, root: its.blind }),
    approvalText('nov', { ...its, blind: its.root }),
  ];
  expect(new Set(texts).size).toBe(texts.length);
});

describe('two persons', () => {
  const role = (name: string, session: string) => `arn:aws:sts::111122223333:assumed-role/${name}/${session}`;

  it.each([
    [
      'one session name in two roles',
      role('Register_0123', 'jane@corp.example'),
      role('Approve_fedc', 'jane@corp.example'),
    ],
    ['whatever the case', role('Register', 'Jane@corp.example'), role('Approve', 'jane@CORP.example')],
    [
      'a user, and a session of her name',
      'arn:aws:iam::111122223333:user/staff/jane',
      role('Approve', 'jane@corp.example'),
    ],
    ['other widths of the same letters', role('Register', 'jane'), role('Approve', 'ｊａｎｅ')],
    ['a name that the CLI made up', role('Register', 'botocore-session-1732280000'), role('Approve', 'jane')],
    ['a name that an SDK made up', role('Register', 'jane'), role('Approve', 'aws-sdk-js-1732280000')],
    ['the root of the account', 'arn:aws:iam::111122223333:root', role('Approve', 'jane')],
    ['no one', '', role('Approve', 'jane')],
  ])('may be one: %s', (_, one, other) => {
    expect(maybeOnePerson(one, other)).toBe(true);
    expect(maybeOnePerson(other, one)).toBe(true);
  });

  it('are two where what is left beside these words differs, and where nothing is left', () => {
    for (const [one, other] of [
      ['jane.doe', 'jane.roe'],
      ['ada', 'grace-admin'],
      ['admin', 'operator'],
      ['user-1', 'user-2'],
    ] as const)
      expect([one, other, maybeOnePerson(role('Register', one), role('Approve', other))]).toEqual([one, other, false]);
  });

  it('no person is named by what a tool invents', () => {
    expect(personOf(role('Register', 'botocore-session-1732280000'))).toBeUndefined();
    expect(personOf(role('Register', 'jane@corp.example'))).toBe('jane@corp.example');
  });
});
