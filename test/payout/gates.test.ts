// The kernel's own gates: time, controls, secret, contract. Who can't be asked is not believed to have said nothing, and
// nothing that a person can mend costs an order its id.
import { describe, expect, it } from 'vitest';
import type { Spending } from '../../lib/payout/operate/caps.ts';
import type { Control, Controls } from '../../lib/payout/operate/control.ts';
import { type GateName, kernelGates, whyUnsendable } from '../../lib/payout/gates.ts';
import type { Job } from '../../lib/payout/message/job.ts';
import { type Pacing, plannedPacing } from '../../lib/payout/pace/pacing.ts';
import { createMemoryOrders } from '../support/memory-orders.ts';
import { createFakeCredentials, someCredentials } from '../support/fake-credentials.ts';
import { anEligibilityJob, aPayoutJob, jobOf } from '../support/jobs.ts';
import { createMemoryLanes } from '../support/memory-lanes.ts';
import { createManualClock, startMs } from '../support/time-and-chance.ts';

const job = jobOf(aPayoutJob({ batchId: 'b-1' }));
const merchant = someCredentials({ profile: { doubtLimits: { EUR: '100.00' } } });
const saying = (said: Partial<Control>): Controls => ({
  of: async () => ({ paused: false, batchCancelled: false, doubt: {}, ...said }),
});
const openPacing = () => {
  const clock = createManualClock();
  return plannedPacing({ lanes: createMemoryLanes(), clock });
};

interface Asked {
  readonly pacing?: Pick<Pacing, 'ask'>;
  readonly spending?: Spending;
  readonly controls?: Controls;
  readonly credentials?: ReturnType<typeof createFakeCredentials>;
  readonly it?: Job;
  readonly nowMs?: number;
}

function ask(name: Exclude<GateName, 'card-data' | 'approval'>, asked: Asked = {}) {
  const { controls = saying({}), it = job, nowMs = startMs } = asked;
  const { credentials = createFakeCredentials({ 'acme-eu': merchant }) } = asked;
  const gate = kernelGates({
    controls,
    credentials,
    clock: { nowMs: () => nowMs },
    pacing: { ...openPacing(), ...asked.pacing },
    spending: asked.spending,
    orders: createMemoryOrders(),
  })[name];
  return gate({ received: it, job: it, credentials: merchant });
}

describe('controls', () => {
  it('that can’t be read make the job wait: it may be paused', async () => {
    const silent: Controls = { of: () => Promise.reject(new Error('throttled')) };
    expect(await ask('pause', { controls: silent })).toEqual({ kind: 'wait', because: 'controls-unknown' });
    expect(await ask('call-off', { controls: silent })).toEqual({ kind: 'go' });
  });
});

describe('the secret', () => {
  it('without the key that signs this operation makes it wait for that key', async () => {
    const { 'RSA-SHA256': _, ...keys } = merchant.keys;
    const credentials = createFakeCredentials({ 'acme-eu': { ...merchant, keys } });
    const message = "the merchant's secret has no privateKey or kmsKeyId, which RSA-SHA256 needs";
    const because = { code: 'SECRET_INVALID', message };
    expect(await ask('credentials', { credentials })).toEqual({ kind: 'wait', because });
    expect(await ask('credentials', { credentials, it: jobOf(anEligibilityJob()) })).toMatchObject({ kind: 'go' });
  });

  it('that asks for two persons, and could not be read when the approval was asked for, asks again', async () => {
    const credentials = createFakeCredentials({
      'acme-eu': someCredentials({ profile: { twoPersonRelease: true } }),
    });
    expect(await ask('credentials', { credentials })).toEqual({ kind: 'wait', because: 'approval-unknown' });
    const approved = { ...job, approvedUntilMs: startMs + 1 };
    expect(await ask('credentials', { credentials, it: approved })).toMatchObject({ kind: 'go' });
  });
});

describe('a job is sent', () => {
  const expiring = jobOf(aPayoutJob({ expiresAt: new Date(startMs).toISOString() }));
  const approved = { ...job, approvedUntilMs: startMs };
  const twoPersons = someCredentials({ profile: { twoPersonRelease: true } });

  it.each([
    [-1, undefined, undefined],
    [0, 'EXPIRED', 'NOT_APPROVED'],
    [1, 'EXPIRED', 'NOT_APPROVED'],
  ])('%i ms after its expiresAt? %s; after its approval? %s', async (after, expired, unapproved) => {
    const nowMs = startMs + after;
    expect(whyUnsendable(expiring, merchant, nowMs)?.code).toBe(expired);
    expect(whyUnsendable(approved, twoPersons, nowMs)?.code).toBe(unapproved);
    const refusal = (code: string | undefined) => (code ? { kind: 'refuse', failure: { code } } : { kind: 'go' });
    expect(await ask('expiry', { it: expiring, nowMs })).toMatchObject(refusal(expired));
    expect(await ask('expiry', { it: approved, nowMs })).toMatchObject(refusal(unapproved));
  });

  it('never unapproved where two persons release it, whatever the gates have said', () => {
    expect(whyUnsendable(job, twoPersons, startMs)).toEqual({
      code: 'NOT_APPROVED',
      message: 'two-person release: no approval was checked',
    });
    expect(whyUnsendable(jobOf(anEligibilityJob()), twoPersons, startMs)).toMatchObject({ code: 'NOT_APPROVED' });
  });

  it('with the fields that its contract names, and no others', async () => {
    const it = jobOf(aPayoutJob({ params: { purpose: 'rent', bank_city: 'Riga' } }));
    const failure = {
      code: 'FIELD_NOT_IN_CONTRACT',
      message: "name in the profile's extraFields, or leave out: purpose, bank_city",
    };
    expect(await ask('contract', { it })).toEqual({ kind: 'refuse', failure });
    expect(whyUnsendable(it, merchant, startMs)).toEqual(failure);
    const contract = someCredentials({ profile: { extraFields: { payout: ['purpose', 'bank_city'] } } });
    expect(whyUnsendable(it, contract, startMs)).toBeUndefined();
  });
});
