// Random histories that leave dead letters behind: the real worker over a memory ledger, a gateway of changing moods,
// workers that die, operators who decide, and messages that SQS moves aside. What is left is to be planned.
import * as fc from 'fast-check';
import { claimOrder } from '../../lib/payout/claim-order.ts';
import { type Outcome, writePendingOutcome } from '../../lib/payout/outcome.ts';
import { cardDataGate } from '../../lib/card-data/open-card-data.ts';
import { closedGatesOf } from './dead-letter-world.ts';
import type { MerchantCredentials } from '../../lib/gateway/ports.ts';
import type { FoundEntry, Ledger } from '../../lib/payout/ports.ts';
import { cancelOrder, releaseOrder } from '../../lib/payout/operator-actions.ts';
import { orderKey } from '../../lib/payout/ledger.ts';
import type { Profile } from '../../lib/gateway/profile.ts';
import { someCredentials } from './fake-credentials.ts';
import { createFakeDeadLetters, type FakeDeadLetters } from './fake-dead-letters.ts';
import type { GatewayMood, StatusMood } from './fake-gateway.ts';
import { sealJob } from '../../lib/client/jose-seal-job.ts';
import { cardJwks } from './card-keys.ts';
import { anEligibilityJob, aPayoutJob, aTransferJob, jobOf, type JobBody, withoutParams } from './jobs.ts';
import { longAgoMs, aRecord, deliveryOf, redelivered } from './records.ts';
import { startMs } from './time-and-chance.ts';
import { aWorld, type World } from './world.ts';

const profiles: Readonly<Record<string, Partial<Profile>>> = {
  plain: {},
  asking: { statusInquiry: true, resubmitUnknownOrders: true, quietPeriodSeconds: 0 },
  capped: { caps: { EUR: { single: '60.00', perDay: '100.00' } } },
  doubting: { statusInquiry: true, doubtLimits: { EUR: '1.00' } },
  /** Its contract asks for a key that its secret does not have. */
  keyless: { signatureMethod: { payout: 'HMAC-SHA1', 'pan-eligibility': 'RSA-SHA256' } },
};
/** There is no secret of the last one. */
const merchants = [...Object.keys(profiles), 'nobody'];
const cardKinds = ['plain card', 'sealed card', 'seal of another order'] as const;

const gatewayMoods: readonly GatewayMood[] = [
  'accepts',
  'refuses the connection',
  'stalls',
  'refuses the order',
  'refuses the signature',
  'asks to slow down',
  'says the order exists',
];
const statusMoods: readonly StatusMood[] = ['processing', 'approved', 'declined', 'never heard of it', 'fails'];

/** Mostly the same job again: histories are about what happens to one order. */
const job = fc.record({
  /** Place in the cast of this history. */
  merchant: fc.nat({ max: 1 }),
  order: fc.constantFrom(1, 1, 1, 2),
  amount: fc.constantFrom('10.00', '10.00', '10.00', '10.00', '10.00', '45.00', '61.00'),
  kind: fc.constantFrom('payout', 'payout', 'payout', 'payout', 'check', ...cardKinds),
  batch: fc.constantFrom(undefined, undefined, undefined, 'b-1', 'b-2'),
  expiresInMinutes: fc.constantFrom(undefined, undefined, undefined, undefined, undefined, 1, 400),
  outsideContract: fc.constantFrom(false, false, false, false, false, false, false, true),
});
type JobChoice = typeof job extends fc.Arbitrary<infer T> ? T : never;

const outcomes: readonly Outcome[] = [
  { kind: 'accepted', gatewayOrderId: '77' },
  { kind: 'declined', failure: { code: 'GATEWAY_REFUSED', message: 'no' } },
  { kind: 'retryable', failure: { code: 'NOT_SENT', message: 'refused' } },
  { kind: 'unsendable', failure: { code: 'EXPIRED', message: 'too late' } },
  { kind: 'capped', failure: { code: 'CAP_EXCEEDED', message: 'too much' } },
  { kind: 'in-doubt', failure: { code: 'NO_ANSWER', message: 'reset' } },
];

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('deliver' as const),
      job,
      moods: fc.array(fc.constantFrom(...gatewayMoods), { maxLength: 3 }),
      last: fc.boolean(),
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('moves aside' as const), job }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('dies' as const),
      job,
      answer: fc.option(fc.constantFrom(...outcomes)),
      minutes: fc.constantFrom(0, 10),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('poison' as const),
      body: fc.constantFrom('', '{}', '{"version":2}', 'card 4111111111111111'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('decides' as const),
      job,
      as: fc.constantFrom('paid' as const, 'not-paid' as const, 'cancel' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('asks' as const), status: fc.constantFrom(...statusMoods) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('passes' as const), minutes: fc.integer({ min: 1, max: 600 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('newer code' as const), job }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('lost key' as const), job }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** What happened, and what operators have said by the time at which the plan is made. */
export const history = fc.record({
  cast: fc.subarray(merchants, { minLength: 1, maxLength: 2 }),
  steps: fc.array(step, { minLength: 1, maxLength: 14 }),
  paused: fc.constantFrom(false, false, false, true),
  doubted: fc.boolean(),
  calledOff: fc.boolean(),
});
/** One history. */
export type History = typeof history extends fc.Arbitrary<infer T> ? T : never;

/** The world after a history. */
export interface AfterHistory {
  readonly world: World;
  readonly deadLetters: FakeDeadLetters;
  /** Orders whose item newer code wrote. */
  readonly unreadable: Set<string>;
  /** The planner's ports: no seal is opened by its gates. */
  readonly planPorts: AfterHistory['ports'];
  /** The worker's ports. */
  readonly ports: World['ports'] & { readonly deadLetters: FakeDeadLetters; readonly dayTotals: World['controls'] };
}

async function bodyOf(it: JobChoice, cast: readonly string[]): Promise<JobBody> {
  const merchant = cast[it.merchant % cast.length] ?? '';
  const expiresAtMs = startMs + (it.expiresInMinutes ?? 0) * 60_000;
  const changes = {
    merchant,
    orderId: `${merchant}-${it.order}`,
    ...(it.batch !== undefined && { batchId: it.batch }),
    ...(it.expiresInMinutes !== undefined && { expiresAt: new Date(expiresAtMs).toISOString() }),
  };
  if (it.kind === 'check') return anEligibilityJob(changes);
  if (it.kind !== 'payout') return cardJob(it.kind, changes);
  return aPayoutJob({ ...changes, params: { amount: it.amount, ...(it.outsideContract && { purpose: 'rent' }) } });
}

async function cardJob(kind: (typeof cardKinds)[number], changes: Partial<JobBody>): Promise<JobBody> {
  const card = withoutParams(aTransferJob(changes), 'cvv2');
  if (kind === 'plain card') return card;
  const sealed = await sealJob(card, { jwks: cardJwks });
  return kind === 'sealed card' ? sealed : { ...sealed, orderId: `${card.orderId}-moved` };
}

function credentialsOf(name: string, profile: Partial<Profile>): MerchantCredentials {
  const { keys, ...it } = someCredentials({ profile });
  const { 'HMAC-SHA1': _missing, ...rsaAlone } = keys;
  return { ...it, keys: name === 'keyless' ? rsaAlone : keys };
}

/** Lives through a history. */
export async function afterHistory({ cast, steps, paused, doubted, calledOff }: History): Promise<AfterHistory> {
  const credentials = Object.entries(profiles).map(([name, profile]) => [name, credentialsOf(name, profile)] as const);
  const world = aWorld({ merchants: Object.fromEntries(credentials), limits: { maxReceiveCount: 5 } });
  const unreadable = new Set<string>();
  const deadLetters = createFakeDeadLetters(world.clock);
  const ports = {
    ...world.ports,
    ledger: withNewerCode(world.ports.ledger, unreadable),
    deadLetters,
    dayTotals: world.controls,
  };
  const planPorts = { ...ports, gates: closedGatesOf(world.ports) };
  const after = { world, deadLetters, unreadable, ports, planPorts };
  for (const it of steps) await live(it, cast, after);
  world.gateway.moods();
  world.gateway.statuses();
  if (paused) await world.controls.pause(cast[0], true, saying);
  if (calledOff) await world.controls.cancelBatch('b-1', saying);
  if (doubted) await world.controls.recordDoubt(new Map([['doubting', { EUR: 500n }]]));
  return after;
}

const saying = { by: 'ops', reason: 'random', atMs: startMs };

function withNewerCode<T extends Ledger>(ledger: T, unreadable: ReadonlySet<string>): T {
  const newer: FoundEntry = { kind: 'unreadable', reason: 'written by newer code' };
  return {
    ...ledger,
    claim: async (entry) => (unreadable.has(entry.key) ? newer : ledger.claim(entry)),
    advance: async (was, next) => (unreadable.has(was.key) ? newer : ledger.advance(was, next)),
    read: async (key) => (unreadable.has(key) ? newer : ledger.read(key)),
  };
}

async function live(it: Step, cast: readonly string[], after: AfterHistory): Promise<void> {
  const { world, deadLetters, unreadable } = after;
  const { clock, entries, ports, jobsQueue, gateway } = world;
  switch (it.do) {
    case 'deliver': {
      gateway.moods(...it.moods);
      const record = aRecord(await bodyOf(it.job, cast), it.last ? { receiveCount: 5, sentAtMs: longAgoMs } : {});
      const returned = await world.deliver(record);
      if (returned.length > 0) await world.deliver(redelivered(redelivered(record)));
      for (const copy of jobsQueue.copies.taken.splice(0)) {
        clock.advance(copy.delaySeconds * 1000);
        await world.deliver(deliveryOf(copy));
      }
      for (const copy of jobsQueue.copies.taken.splice(0)) deadLetters.move(copy);
      for (const letter of jobsQueue.deadLetters.taken.splice(0)) deadLetters.lay(letter);
      return;
    }
    case 'moves aside':
      deadLetters.move(aRecord(await bodyOf(it.job, cast)));
      return;
    case 'dies': {
      const body = await bodyOf(it.job, cast);
      const received = jobOf(body);
      const opened = await cardDataGate(ports)({ received, job: received });
      if (opened.kind !== 'go') return;
      const owner = ports.random.id();
      const claimant = { owner, messageId: 'm-dying', leaseMs: ports.limits.leaseMs, credentials: someCredentials() };
      const claim = await claimOrder(opened.job ?? received, claimant, ports);
      if (claim.kind === 'claimed' && it.answer) {
        const answer = writePendingOutcome({ owner, attempts: 1, statusInquiry: false, outcome: it.answer });
        deadLetters.move(aRecord(body, { attributes: { originMessageId: 'm-dying', waits: '3', answer } }));
      }
      clock.advance(it.minutes * 60_000);
      return;
    }
    case 'poison':
      deadLetters.move(aRecord(it.body));
      return;
    case 'decides': {
      const { operation, merchant, orderId } = jobOf(await bodyOf(it.job, cast));
      const said = { by: 'ops', reason: 'random' };
      if (it.as === 'cancel') await cancelOrder({ operation, merchant, orderId, ...said }, ports);
      else await releaseOrder(`${merchant}/${orderId}`, { as: it.as, evenUnanswered: true, ...said }, ports);
      return;
    }
    case 'asks':
      gateway.statusStays(it.status);
      await world.inquire();
      return;
    case 'passes':
      clock.advance(it.minutes * 60_000);
      return;
    case 'newer code':
      unreadable.add(orderKey(jobOf(await bodyOf(it.job, cast))));
      return;
    case 'lost key': {
      const key = orderKey(jobOf(await bodyOf(it.job, cast)));
      const entry = entries.get(key);
      if (entry && entry.state !== 'cancelled') entries.set(key, { ...entry, fingerprint: 'gone.fingerprint' });
      return;
    }
  }
}
