// The operator's commands as an operator runs them, against the embedded environment and the gateway simulator: what they
// print, how they end, and that nothing secret is ever printed.
import { beforeAll, describe, expect, it } from 'vitest';
import { accountOf } from '../../lib/gateway/signed-request.ts';
import { sealedJobs } from '../../lib/local/local-seals.ts';
import { ofAttempt } from '../../lib/payout/order/facts.ts';
import { aPayoutJob, aTransferJob, testCards } from '../support/jobs.ts';
import { longDescribe, longIt } from '../support/long-proof.ts';
import { anOrder, withFacts } from '../support/orders.ts';
import { startMs } from '../support/time-and-chance.ts';
import { anAws } from './support/aws.ts';
import { seenOf } from './support/seen-of.ts';
import { fieldsOf, putMerchant } from '../support/merchant-secrets.ts';

const world = anAws({ gateway: true, visibilityTimeoutSeconds: 60 });
const { payouts, stateOf } = world;
const because = ['--reason', 'seen on the statement'];
const standing = (orderId: string, changes: Parameters<typeof world.standing>[1]) =>
  world.standing(orderId, {
    standing: 'held',
    failure: { code: 'NO_ANSWER', message: 'the connection was reset' },
    ...changes,
  });
const release = async (key: string, as: string, ...more: string[]) =>
  payouts('release', key, '--as', as, ...because, ...(await seenOf(payouts, key)), ...more);

/** A minute after the questions about the order were to be put, for which no worker runs. */
async function aMinuteAfterTheAct(key: string) {
  const found = await world.orders().read(key);
  if (found.kind !== 'found') throw new Error('the order is gone');
  const { lookedAtMs = 0, version } = found.order;
  const later = { ...found.order, version: version + 1, lookedAtMs: lookedAtMs - 60_000 };
  expect(await world.orders().write(found.order, later)).toEqual({ kind: 'written' });
}

beforeAll(() => putMerchant(world.aws().secrets, 'acme-eu', { ...fieldsOf(world.secrets()['acme-eu']), mode: 'test' }));

/** Called off before anything runs; then the worker that ships works through one queue of jobs. */
longIt('payouts cancel, before the jobs come: they are told so, and nothing of them is sent', async () => {
  expect(await payouts('cancel', 'acme-eu/C-1', ...because)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^acme-eu\/C-1 · no job of it has come\n/),
  });
  expect(await payouts('cancel', '--batch', 'wrong-file', ...because, '--json')).toMatchObject({
    code: 0,
    stdout: '{"batch":"wrong-file","cancelled":true,"registered":false}\n',
  });
  const [transfer = ''] = await sealedJobs([JSON.stringify(aTransferJob({ orderId: 'T-1' }))], world.aws());
  await world.send(
    aPayoutJob({ orderId: 'A-1', batchId: 'b-1' }),
    transfer,
    aPayoutJob({ merchant: 'globex-us', orderId: 'G-1' }),
    aPayoutJob({ orderId: 'C-1' }),
    aPayoutJob({ orderId: 'B-1', batchId: 'wrong-file' }),
  );
  expect(await payouts('worker', '--once')).toMatchObject({ code: 0, stderr: '' });
  const results = await world.results();
  // Published twice: by the decision, when the amount was unknown, and by the job that came after it.
  expect(results.get('C-1')).toMatchObject({ resultId: 'acme-eu/C-1/2', status: 'cancelled', amount: '10.42' });
  expect(results.get('B-1')).toMatchObject({ status: 'cancelled', amount: '10.42', batchId: 'wrong-file' });
  expect(results.get('A-1')).toMatchObject({ status: 'accepted' });
  expect(world.gateway().requests()).toMatchObject({ payout: 2, transfer: 1 });
});

longDescribe('payouts order', () => {
  it('shows the life of one order', async () => {
    const { code, stdout, stderr } = await payouts('order', 'acme-eu/A-1');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(
      /^acme-eu\/A-1 · payout · 10\.42 EUR · to \S+ · gateway order \d+ · account test:\S{12} · batch b-1\n/,
    );
    expect(stdout).toMatch(/Z +sending +claimed, to be sent\n.*Z +\+[\d.]+ s +accepted +the gateway took it\n/);
    expect(stdout).toContain('now accepted, final · revision 1\n');
  });

  it('shows it as JSON, without what only the worker may know; 1 if it was never claimed', async () => {
    const { code, stdout } = await payouts('order', 'acme-eu/T-1', '--json');
    const { order } = JSON.parse(stdout) as { order: object };
    expect(code).toBe(0);
    expect(order).toMatchObject({ key: 'acme-eu/T-1', standing: 'accepted', amount: '25.00', currency: 'USD' });
    expect(Object.keys(order)).not.toEqual(expect.arrayContaining([expect.stringMatching(/owner|fingerprint/)]));
    const none = 'payouts: there is no order acme-eu/NONE, and no message of it\n';
    expect(await payouts('order', 'acme-eu/NONE')).toMatchObject({ code: 1, stdout: '', stderr: none });
  });
});

describe('payouts todo --held and release', () => {
  longIt('list what waits, the oldest first; a release takes it off the list and tells its result', async () => {
    expect(await payouts('todo', '--held')).toMatchObject({ code: 0, stdout: 'nothing waits for a person\n' });
    await standing('H-1', { createdAtMs: startMs + 60_000 });
    await standing('H-2', { createdAtMs: startMs });
    const { code, stdout } = await payouts('todo', '--held', '--json');
    const { questions } = JSON.parse(stdout) as { questions: object[] };
    expect({ code, questions }).toMatchObject({
      code: 1,
      questions: ['H-2', 'H-1'].map((id) => ({
        kind: 'held',
        what: `acme-eu/${id}`,
        why: 'HELD_UNPROVEN: the connection was reset',
        amount: '10.42',
      })),
    });

    const paid = await release('acme-eu/H-1', 'paid', '--id', '9000777');
    expect(paid).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/paid +released as paid\n/) });
    expect(paid.stdout).toContain('first-operator: seen on the statement\n');
    const notPaid = await release('acme-eu/H-2', 'not-paid', '--json');
    const failure = { code: 'RELEASED_NOT_PAID', message: 'first-operator: seen on the statement' };
    expect(JSON.parse(notPaid.stdout)).toMatchObject({
      outcome: 'done',
      published: true,
      order: { standing: 'failed', failure },
    });
    expect(await payouts('todo', '--held')).toMatchObject({ code: 0 });
    const results = await world.results();
    expect(results.get('H-1')).toMatchObject({ status: 'approved', payoutId: '9000777' });
    expect(results.get('H-2')).toMatchObject({ status: 'failed' });
  });

  longIt('the gateway is asked first, and nothing is decided before it has answered', async () => {
    const found = await world.orders().read('globex-us/G-1');
    if (found.kind !== 'found') throw new Error('the order is gone');
    const [attempt] = Object.values(found.order.facts.attempts);
    if (!attempt) throw new Error('it was never sent');
    const [account] = attempt.accounts;
    await world.orders().write(found.order, withFacts(found.order, ofAttempt({ ...attempt, overdue: true })));
    const asked = await release('globex-us/G-1', 'paid');
    expect(asked).toMatchObject({ code: 1, stderr: expect.stringContaining('the gateway is asked first') });
    const left = await world.orders().read('globex-us/G-1');
    expect(left).toMatchObject({ kind: 'found', order: { asks: [{ account }], facts: { decisions: {} } } });
  });

  longIt('if the gateway does not answer, a release as not paid must be meant', async () => {
    putMerchant(world.aws().secrets, 'nowhere', {
      ...fieldsOf(world.secrets()['globex-us']),
      baseUrl: 'http://127.0.0.1:1',
    });
    const { key } = await standing('N-1', { merchant: 'nowhere', standing: 'in-doubt' });
    const refused = await release(key, 'not-paid');
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('--force') });
    expect(await stateOf(key)).toBe('in-doubt');
    await aMinuteAfterTheAct(key);
    expect(await release(key, 'not-paid', '--force')).toMatchObject({ code: 0 });
    expect(await stateOf(key)).toBe('failed');
  });

  it('a doubt that the gateway denies is never advised to be sent again, and the way out that is refused says so', async () => {
    const { baseUrl, login } = fieldsOf(world.secrets()['globex-us']) as {
      readonly baseUrl: string;
      readonly login: string;
    };
    const lapsed = { code: 'NOT_AT_GATEWAY', message: 'asked four times' } as const;
    const accounts = [accountOf({ baseUrl, login, mode: 'live', profile: { apiPath: '/paynet/api' } }, '39915')];
    const [account = ''] = accounts;
    const absent = { [account]: { firstMs: 1, lastMs: 2, denies: true } } as const;
    const attempt = { accounts, lapsed, absent } as const;
    const { key } = await world.put(anOrder({ merchant: 'globex-us', orderId: 'Q-1', attempt }));
    for (const { stdout } of [await payouts('order', key), await payouts('todo')]) {
      expect(stdout).toMatch(
        new RegExp(`node \\. release ${key} --as not-paid --reason "<what you saw>" --seen \\S{16}\n`),
      );
      expect(stdout).toMatch(
        /--as paid --reason "<what you saw>" --seen \S{16} +# refused while the gateway, asked first, knows no/,
      );
      expect(stdout).not.toMatch(/send (it )?again|sends it again/);
    }
    const paid = await release(key, 'paid');
    expect(paid).toMatchObject({ code: 1, stderr: 'payouts: the gateway was asked and knows no such order\n' });
    expect(await release(key, 'not-paid')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('run the same command in a minute'),
    });
    await aMinuteAfterTheAct(key);
    await release(key, 'not-paid', '--force');
    expect(await stateOf(key)).toBe('failed');
  });

  it('a held check has one way out, and no money is spoken of', async () => {
    const content = { operation: 'pan-eligibility', endpointId: '39915', fingerprint: 'k1.f' } as const;
    const lapsed = { code: 'NO_ANSWER', message: 'reset' } as const;
    const order = anOrder({ orderId: 'CHK-1', attempt: { askable: false, lapsed, overdue: true } });
    await world.put({ ...order, content });
    const { stdout } = await payouts('order', order.key);
    expect(stdout).toContain('No money moved');
    expect(stdout).toContain('--as not-paid');
    expect(stdout).not.toMatch(/--as paid|may have moved/);
  });

  it('an order that has ended unpaid says the name by which alone it is sent again', async () => {
    const { key } = await standing('Q-2', { standing: 'failed' });
    expect((await payouts('order', key)).stdout).toContain(
      'A job with the same content and "resends": "end-1" sends it again; no other does.\n',
    );
  });

  it('a release or a cancellation that can’t be made ends with 1 and says why', async () => {
    await standing('E-1', { standing: 'paid' });
    await standing('C-2', { standing: 'accepted' });
    const only = 'payouts: the order is paid; only held or doubtful orders are released\n';
    expect(await release('acme-eu/E-1', 'not-paid')).toMatchObject({ code: 1, stdout: '', stderr: only });
    expect(await release('acme-eu/NONE', 'paid', '--json')).toMatchObject({
      code: 1,
      stdout: '{"outcome":"not-found"}\n',
    });
    const claimed =
      "the order is accepted: an attempt or a transaction of it may have moved money, so it can't be cancelled";
    const { code, stdout } = await payouts('cancel', 'acme-eu/C-2', ...because, '--json');
    expect({ code, ...JSON.parse(stdout) }).toEqual({ code: 1, outcome: 'refused', why: claimed });
  });
});

it('payouts erase takes the texts out of one order, or of all that ended before a day, and leaves what has not ended', async () => {
  const failure = { code: 'GATEWAY_REFUSED', message: 'no account of Ada' } as const;
  const one = await standing('ER-1', { standing: 'declined', failure, context: '"Ada"' });
  const old = await standing('ER-2', { standing: 'declined', failure });
  const open = await standing('ER-3', { context: '"Ada"' });
  for (const order of [one, old]) await world.orders().markPublished(order);

  expect(await payouts('erase', 'acme-eu/ER-1')).toMatchObject({
    code: 0,
    stdout: 'acme-eu/ER-1: texts and context are erased; what prevents a second payment stays\n',
  });
  expect(await payouts('erase', 'acme-eu/ER-3')).toMatchObject({
    code: 1,
    stderr: 'payouts: acme-eu/ER-3: not erased: the order is held: its texts are needed until it has ended\n',
  });
  const young = await payouts('erase', '--ended-before', '400d', '--yes', '--json');
  expect(JSON.parse(young.stdout)).toMatchObject({ erased: 0 });
  await payouts('erase', '--ended-before', '2026-11-22', '--yes', '--json');

  for (const { key } of [one, old]) {
    const { stdout } = await payouts('order', key);
    expect(stdout).toContain('GATEWAY_REFUSED');
    expect(stdout).not.toContain('Ada');
  }
  expect((await payouts('order', open.key)).stdout).toContain('the connection was reset');
});

longDescribe('payouts pause and resume', () => {
  it('of one merchant under a pause of all says that it stays paused, and what ends that', async () => {
    expect(await payouts('pause', '--yes', ...because)).toMatchObject({ code: 0 });
    await payouts('pause', 'acme-eu', ...because);
    expect(await payouts('resume', 'acme-eu')).toMatchObject({
      code: 0,
      stdout: 'acme-eu: resumed; it stays paused with all merchants: `node . resume`\n',
    });
    await payouts('pause', 'acme-eu', ...because);
    expect(await payouts('resume')).toMatchObject({
      stdout: 'all merchants: resumed; paused by their own names, and still: acme-eu\n',
    });
    expect(await payouts('resume', 'acme-eu')).toMatchObject({ stdout: 'acme-eu: resumed\n' });
    expect(await payouts('resume', 'acme-eu')).toMatchObject({
      stdout: 'acme-eu: was neither paused nor closed\n',
    });
    const none = 'payouts: there is no secret for a merchant "acme"; nothing was changed\n';
    expect(await payouts('pause', 'acme')).toMatchObject({ code: 1, stderr: none });
  });
});

longIt('nothing secret was ever printed', () => {
  const printed = world.printed();
  expect(printed).toContain('acme-eu/T-1');
  const { account_number: account = '' } = aPayoutJob().params as Record<string, string>;
  const { cvv2 = '' } = aTransferJob().params as Record<string, string>;
  const keys = Object.values(world.secrets())
    .map(fieldsOf)
    .flatMap((it) => [it['controlKey'], it['privateKey'], it['login']]);
  const secret = [...keys, account, testCards.sender, testCards.receiver, `"${cvv2}"`].filter(
    (it): it is string => typeof it === 'string',
  );
  expect(secret.length).toBeGreaterThan(10);
  for (const it of secret) expect(printed).not.toContain(it);
});
