// `payouts reconcile --apply` as an operator runs it, over a ledger with orders in doubt: nothing is written unless it is asked
// for, the gateway is asked first where it can be, and what has moved since it was read is left.
import { readFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import { beforeAll, expect, it, vi } from 'vitest';
import { applyReport } from '../../lib/cli/reconcile/apply-report.ts';
import { defaultProfile } from '../../lib/gateway/profile.ts';
import { accountOf } from '../../lib/gateway/signed-request.ts';
import type { Order } from '../../lib/payout/order/order.ts';
import { comparedNow } from '../../lib/payout/operate/decide.ts';
import { viewOf, resultOf } from '../../lib/payout/order/projection.ts';
import { anOrderThatStands } from '../support/order-that-stands.ts';
import { anAws } from './support/aws.ts';
import { aDirectory } from './support/files.ts';
import { fieldsOf, putMerchant } from '../support/merchant-secrets.ts';

const directory = aDirectory();
const world = anAws({ gateway: true });
const { orders } = world;
let account: Parameters<typeof accountOf>[0];

beforeAll(async () => {
  const { secrets } = world.aws();
  const [{ profile: _, ...secret }, ofInquiry] = [fieldsOf(world.secrets()['acme-eu']), { statusInquiry: true }];
  putMerchant(secrets, 'acme-eu', { ...secret, mode: 'test' });
  putMerchant(secrets, 'asked-eu', { ...secret, mode: 'test', profile: ofInquiry });
  account = {
    baseUrl: String(secret['baseUrl']),
    login: String(secret['login']),
    mode: 'test',
    profile: defaultProfile,
  };
});

const failure = { code: 'NO_ANSWER', message: 'the connection was reset' } as const;

/** In doubt, sent to the account that the secret names. */
const doubted = (orderId: string, merchant = 'acme-eu'): Promise<Order> =>
  stored(anOrderThatStands({ merchant, orderId, standing: 'in-doubt', failure }));

async function stored(stands: Order): Promise<Order> {
  const accounts = [accountOf(account, stands.content?.endpointId ?? '')];
  const attempts = Object.entries(stands.facts.attempts).map(([id, it]) => [id, { ...it, accounts }]);
  const order: Order = { ...stands, facts: { ...stands.facts, attempts: Object.fromEntries(attempts) } };
  return world.put(order);
}

async function standing(orderId: string, merchant = 'acme-eu') {
  const found = await orders().read(`${merchant}/${orderId}`);
  return found.kind === 'found' ? viewOf(found.order) : undefined;
}

/** The results of these orders, and a report that says this of each. */
async function booksOf(of: readonly (readonly [order: Order, status: string])[], merchant = 'acme-eu') {
  const name = of[0]?.[0].orderId ?? '';
  const results = of.map(([order]) => `${JSON.stringify(resultOf(viewOf(order)))}\n`).join('');
  const lines = of.map(([{ orderId }, status], n) => `${orderId};90${n};10.42;EUR;${status}\r\n`).join('');
  return [
    ['--results', await directory.file(`${name}-results.jsonl`, results)],
    ['--gateway', await directory.file(`${name}.csv`, `client_orderid;orderid;amount;currency;status\r\n${lines}`)],
    [merchant],
  ].flat();
}

const reconcile = (...args: string[]) => world.run(['reconcile', ...args]);
const because = ['--reason', 'the report of November', '--drawn', new Date().toISOString()];
const appliedIn = (stdout: string) => (JSON.parse(stdout) as { applied: unknown }).applied;

it('writes nothing unless it is asked to, and says that it could', async () => {
  const books = await booksOf([[await doubted('P-1'), 'approved']]);
  const { code, stdout } = await reconcile(...books);
  expect(code).toBe(1);
  expect(stdout).toContain('1 order of these the report decides: `--apply --drawn … --reason "…"` does it');
  expect(await standing('P-1')).toMatchObject({ standing: 'in-doubt' });
  const asked = await reconcile(...books, '--apply', ...because);
  expect(asked).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('add --yes') });
  expect(await reconcile(...books, '--apply', '--yes')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('say why with --reason'),
  });
  for (const drawn of ['', '2026-11-22T09:00', '2099-01-01T00:00Z'])
    expect(await reconcile(...books, '--apply', '--yes', '--reason', 'x', '--drawn', drawn)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--drawn'),
    });
  expect(await standing('P-1')).toMatchObject({ standing: 'in-doubt' });
});

it('decides each as the report has it, by whom and why, and ends with 0 where nothing is left', async () => {
  await world.aws().safeguard('both-eu', { twoPersonRelease: false, caps: {} });
  const [paid, unpaid] = [await doubted('A-1', 'both-eu'), await doubted('A-2', 'both-eu')];
  const books = await booksOf(
    [
      [paid, 'approved'],
      [unpaid, 'declined'],
    ],
    'both-eu',
  );
  const { code, stdout, stderr } = await reconcile(...books, '--apply', '--yes', ...because);
  expect(stderr).toMatch(/both-eu\/A-1 +paid +10\.42 +EUR +900/);
  expect(stderr).toMatch(/both-eu\/A-2 +not-paid +10\.42 +EUR +901/);
  expect(stdout).toContain('✔ both-eu/A-1 is paid');
  expect(stdout).toContain('✔ both-eu/A-2 is failed');
  expect(code).toBe(0);
  expect(await standing('A-1', 'both-eu')).toMatchObject({ standing: 'paid', gatewayOrderId: '900' });
  expect(await standing('A-2', 'both-eu')).toMatchObject({ standing: 'failed' });
  const found = await orders().read('both-eu/A-2');
  const decisions = found.kind === 'found' ? Object.values(found.order.facts.decisions) : [];
  expect(decisions).toMatchObject([{ kind: 'not-paid', reason: 'the report of November' }]);
  expect(decisions[0]?.by).toBe('first-operator');
});

it('closes the books of a merchant whose gateway only accepts: the journal has what was paid, and the payee without money is retried', async () => {
  // given three accepted orders, of which the report has one as paid, one as declined, and one under another id
  await world.aws().safeguard('only-eu', { twoPersonRelease: false, caps: {} });
  const accepted = (orderId: string, gatewayOrderId: string) =>
    stored(anOrderThatStands({ merchant: 'only-eu', orderId, standing: 'accepted', gatewayOrderId }));
  const [paid, unpaid, other] = [
    await accepted('E-1', '900'),
    await accepted('E-2', '901'),
    await accepted('E-3', '77'),
  ];
  const books = await booksOf(
    [
      [paid, 'approved'],
      [unpaid, 'declined'],
      [other, 'approved'],
    ],
    'only-eu',
  );
  // when the report is applied
  const journal = `${directory.path()}/journal.csv`;
  const { code, stdout } = await reconcile(...books, '--apply', '--yes', '--journal', journal, ...because);
  // then the two that it names are decided, and the third is another payment
  expect(stdout).toMatch(/paid-under-another-id +1/);
  expect(code).toBe(1);
  expect((await standing('E-1', 'only-eu'))?.standing).toBe('paid');
  expect((await standing('E-2', 'only-eu'))?.standing).toBe('failed');
  expect((await standing('E-3', 'only-eu'))?.standing).toBe('accepted');
  const lines: unknown[] = parse(await readFile(journal), { columns: true });
  expect(lines).toMatchObject([{ order_id: 'E-1', movement: 'paid', amount: '10.42' }]);
});

it('has the gateway asked first where it can be, and decides nothing before its answer', async () => {
  const [paid, unpaid] = [await doubted('B-1', 'asked-eu'), await doubted('B-2', 'asked-eu')];
  const books = await booksOf(
    [
      [paid, 'approved'],
      [unpaid, 'declined'],
    ],
    'asked-eu',
  );
  const { code, stdout } = await reconcile(...books, '--apply', '--yes', '--json', ...because);
  expect(code).toBe(1);
  expect(appliedIn(stdout)).toEqual([
    { key: 'asked-eu/B-1', as: 'paid', outcome: 'asking', why: expect.stringContaining('in a minute') },
    { key: 'asked-eu/B-2', as: 'not-paid', outcome: 'asking', why: expect.stringContaining('in a minute') },
  ]);
  expect(await standing('B-1', 'asked-eu')).toMatchObject({ standing: 'in-doubt' });
});

it('leaves what has moved since it was read, though nothing of that was published', async () => {
  const order = await doubted('C-1', 'moved-eu');
  const { key } = order;
  const [[id = '', attempt] = []] = Object.entries(order.facts.attempts);
  const attempts = { [id]: { ...attempt, reports: ['seen'] } } as Order['facts']['attempts'];
  const seen = { ...order, version: order.version + 1, facts: { ...order.facts, attempts } };
  expect(await orders().write(order, seen)).toEqual({ kind: 'written' });
  for (const [name, value] of Object.entries(world.env())) vi.stubEnv(name, value);
  const decision = { key, as: 'not-paid', compared: comparedNow(order), amount: '10.42', currency: 'EUR' } as const;
  const drawn = new Date().toISOString();
  const options = { apply: true, yes: true, json: true, reason: 'the report of November', drawn };
  expect(await applyReport([decision], options, () => {})).toEqual([
    { key, as: 'not-paid', outcome: 'refused', why: expect.stringContaining('changed since') },
  ]);
  vi.unstubAllEnvs();
  expect(await standing('C-1', 'moved-eu')).toMatchObject({ final: false });
});
