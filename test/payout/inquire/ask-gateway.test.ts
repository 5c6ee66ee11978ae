// One look, alone: at which account it is made, by which secret, and what is known of the order's other attempts.
import { describe, expect, it } from 'vitest';
import { accountOf } from '../../../lib/gateway/signed-request.ts';
import { askGateway } from '../../../lib/payout/inquire/ask-gateway.ts';
import { factsOfFinding } from '../../../lib/payout/inquire/finding-facts.ts';
import { type Attempt, attemptsOf, ofAttempt } from '../../../lib/payout/order/facts.ts';
import { fold } from '../../../lib/payout/order/fold.ts';
import { join } from '../../../lib/payout/order/join.ts';
import { someCredentials } from '../../support/fake-credentials.ts';
import { aPayoutJob } from '../../support/jobs.ts';
import { anAttempt, anOrder } from '../../support/orders.ts';
import { aRecord } from '../../support/records.ts';
import { startMs } from '../../support/time-and-chance.ts';
import { aWorld, type World } from '../../support/world.ts';

const profile = { statusInquiry: true };
const before = someCredentials({ login: 'before', profile });
const account = accountOf(before, '39915');
const at = { notAfterMs: startMs + 30_000 };

/** What is asked about the last of these attempts, at the account of before. */
function questionAbout(...attempts: readonly Partial<Attempt>[]) {
  const facts = attempts
    .map((it, place) => ofAttempt(anAttempt({ id: `a${place}`, number: place + 1, accounts: [account], ...it })))
    .reduce(join);
  const order = anOrder({ orderId: 'INV-1', facts });
  const [attempt, content] = [attemptsOf(order.facts).at(-1), order.content];
  if (!attempt || !content) throw new Error('it has both');
  return { order, content, attempt, account, askedMs: 0 };
}

describe('where the gateway refuses the signature and the secret has moved on', () => {
  async function refusedOnce(now: Partial<ReturnType<typeof someCredentials>>): Promise<World> {
    const world = aWorld();
    world.gateway.statuses('refuses the signature', 'approved');
    const stale = { ...someCredentials({ login: 'present', profile }), earlierAccounts: [before] };
    world.credentials.rotate('acme-eu', { ...stale, version: 'v2', ...now });
    expect(await askGateway(questionAbout({ ids: ['9000001'] }), stale, at, world.ports)).toBeDefined();
    return world;
  }
  const logins = ({ gateway }: World) =>
    gateway.inquiries.map(({ fields, oauth }) => [fields[0]?.[1], oauth['oauth_consumer_key']]);

  it("the order's own account is asked again, not the merchant's present one", async () => {
    expect(logins(await refusedOnce({}))).toEqual([
      ['before', 'before'],
      ['before', 'before'],
    ]);
  });

  it('no account is asked where the secret no longer names it', async () => {
    expect(logins(await refusedOnce({ earlierAccounts: [] }))).toEqual([['before', 'before']]);
  });
});

describe('"filtered", which a filter of duplicates says too,', () => {
  const finding = async (...attempts: readonly Partial<Attempt>[]) => {
    const world = aWorld();
    await world.deliver(aRecord(aPayoutJob()));
    world.gateway.statuses('filtered');
    return askGateway(questionAbout(...attempts), before, at, world.ports);
  };
  const lapsed = { lapsed: { code: 'WORKER_LOST', message: 'lost' } };
  const refusedBy = (connected: boolean): Partial<Attempt> => ({
    answer: { kind: 'refused', about: 'pace', connected, atMs: startMs, code: 'HTTP_403', message: 'no' },
  });

  const ended = async (...attempts: readonly Partial<Attempt>[]) => {
    const question = questionAbout(...attempts);
    const found = factsOfFinding(question, await finding(...attempts), startMs, {
      visibleAfterMs: 0,
      namesNewest: false,
    });
    const status = fold(join(question.order.facts, found));
    return 'reason' in status ? `${status.kind} ${status.reason}` : status.kind;
  };

  it('declines the only attempt', async () => {
    expect(await ended(lapsed)).toBe('over declined');
  });

  it('declines one before which nothing left', async () => {
    expect(await ended(refusedBy(false), lapsed)).toBe('over declined');
  });

  it.each<[what: string, earlier: Partial<Attempt>, status: string]>([
    ['was never answered', lapsed, 'in-doubt'],
    ['was refused over a connection', refusedBy(true), 'in-doubt'],
    ['was taken', { answer: { kind: 'taken', atMs: startMs }, ids: ['9000009'] }, 'held several'],
  ])('proves nothing where an earlier one %s', async (_, earlier, status) => {
    expect(await ended(earlier, lapsed)).toBe(status);
  });
});
