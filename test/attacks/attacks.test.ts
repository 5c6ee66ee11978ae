// ATTACKS by the thousand: senders, gateways, strangers and operators made by chance throw what they can at a whole world,
// and every outlet is read afterwards. Bounded: `npm run test:attacks` throws ATTACKS of them, the short proof some hundred.
import { payoutOf } from '../../lib/batches/batch-payouts.ts';
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { shownSafely } from '../../lib/cli/terminal.ts';
import { approved } from '../support/approvals.ts';
import { rowOf } from '../support/uploaded-batch.ts';
import { sealJob } from '../../lib/client/jose-seal-job.ts';
import type { Evidence } from '../../lib/gateway/ports.ts';
import { createSecondPerson, decisionText } from '../../lib/batches/decision-approval.ts';
import { safeguardsText } from '../../lib/batches/safeguards.ts';
import { cancelOrder, seenByApprover } from '../../lib/payout/operate/decide.ts';
import { standings } from '../../lib/payout/order/standing.ts';
import type { ParkedJob } from '../../lib/payout/wait/parked-job.ts';
import { type Result, resultText } from '../../lib/payout/message/result.ts';
import { cardJwks } from '../support/card-keys.ts';
import { aCardNumber, disguises, echoes, gluedForms, inNames } from '../support/disguised-cards.ts';
import { someControlKey, someCredentials } from '../support/fake-credentials.ts';
import { aPayoutJob, aTransferJob, withoutParams } from '../support/jobs.ts';
import { sealedFor } from '../support/card-keys.ts';
import { aRecord } from '../support/records.ts';
import { createSeededRandom } from '../support/time-and-chance.ts';
import { aWorld, functionsOver, type World } from '../support/world.ts';
import { createJsonLogger } from '../../lib/aws/cloudwatch-lines.ts';
import { lookAndRelease } from '../support/look-and-release.ts';

const attacks = Number(process.env['ATTACKS'] ?? 150);
const { chance } = createSeededRandom(Number(process.env['SEED'] ?? 17));
const pick = <T>(list: readonly [T, ...T[]]): T => list[Math.floor(chance() * list.length)] ?? list[0];
const hides = Object.values(disguises) as [(number: string, chance: () => number) => string];

/** No delivery may cost more: messages and lines by count, processor time, that of a busy machine too. */
const atMost = { posts: 1, results: 2, copies: 1, deadLetters: 1, lines: 8, ms: 3000 };

interface Attack {
  /** What must be read nowhere. */
  readonly planted: readonly string[];
  /** True where nothing may be sent at all. */
  readonly mustNotPay: boolean;
  /** How many messages it takes, and callbacks with what the world then does for ten minutes; default one. */
  readonly knocks?: number;
  readonly run: (world: World) => Promise<unknown>;
}

const encodedAs = (number: string) => Buffer.from(JSON.stringify({ alg: 'dir', kid: number })).toString('base64url');
const noise = () =>
  Array.from({ length: Math.floor(chance() * 40) }, () => String.fromCodePoint(Math.floor(chance() * 0x2fff))).join('');
const controls = '\u001b[2J\u009b1A\u202e';

/** A sender puts a card number, in some disguise, where one has no business. */
function aSender(): Attack {
  const number = aCardNumber(chance);
  const hidden = pick(hides)(number, chance);
  // A name with a shape of its own is read for what people write there; encoded, it is a sender's own text (infra/docs/card-and-personal-data.md).
  // Nor are Visa's old thirteen digits a card number there.
  const name = /^4\d{12}$/.test(number) ? '4111111111111111' : number;
  const inName = disguises[pick(inNames)]?.(name, chance) ?? name;
  // An account as short as some cards are is taken for one only where its network makes no other length.
  const asAccount = /^(?:4|5[1-5]|3[47])/.test(number) && number.length > 14 ? number : '4111 1111 1111 1111';
  const job = pick<() => object | string>([
    () => aPayoutJob({ params: { order_desc: hidden } }),
    () => aPayoutJob({ params: { bank_name: `${hidden} bank` } }),
    () => aPayoutJob({ params: { account_number: asAccount } }),
    () => aPayoutJob({ context: { note: hidden } }),
    () => aPayoutJob({ context: { [hidden]: 1 } }),
    () => aPayoutJob({ orderId: /^[\w -]{1,60}$/.test(inName) ? inName : name }),
    () => aPayoutJob({ orderId: name, batchId: name }),
    () => aPayoutJob({ endpointId: name, merchant: name }),
    () => aPayoutJob({ resends: name }),
    () => aPayoutJob({ approval: `7.${name}` }),
    () => aPayoutJob({ sealedParams: `${encodedAs(name)}..iv.ciphertext.tag` }),
    () => aPayoutJob({ sealedParams: `eyJhbGciOiJkaXIifQ.${name}.iv.${encodedAs(name)}.tag` }),
    () => ({ ...aPayoutJob(), [number]: number, params: { [hidden]: hidden } }),
    () => ({ [noise()]: [{ deep: hidden }, noise()] }),
    () => `${noise().replaceAll(/\p{N}/gu, '')} ${hidden}`,
    () => JSON.stringify({ ...aPayoutJob(), note: `${hidden} `.repeat(4000) }),
    () => JSON.stringify({ card: { pan: hidden, cvv: '7391' } }).slice(0, -4),
  ])();
  const body = typeof job === 'string' ? job : JSON.stringify(job);
  const odd = { stringValue: `${number}\n${controls}`, dataType: 'String' };
  const messageAttributes = pick<Record<string, typeof odd>>([
    {},
    { originMessageId: odd },
    { waits: odd, redrives: odd, answer: odd },
  ]);
  return {
    planted: [number, name, hidden, encodedAs(name)],
    mustNotPay: true,
    run: (world) => world.deliver({ ...aRecord(body), messageAttributes }),
  };
}

/** A sender without approval, with a forged one, or with another's seal: nothing is paid. */
function aForger(): Attack {
  const approval = createHash('sha256').update(noise()).digest('base64url');
  const amount = `${1 + Math.floor(chance() * 9999)}.00`;
  const run = pick<(world: World) => Promise<unknown>>([
    (world) => world.deliver(aRecord(aPayoutJob({ merchant: 'two-persons', batchId: 'nov', params: { amount } }))),
    (world) =>
      world.deliver(aRecord(aPayoutJob({ merchant: 'two-persons', batchId: 'nov', approval, params: { amount } }))),
    async (world) => {
      const changes = { params: { destination_card_recurring_payment_id: '111' } };
      const honest = withoutParams(aTransferJob(changes), 'destination-card-no', 'cvv2');
      const sealed = await sealJob(honest, { jwks: cardJwks });
      const mine = pick([
        { ...sealed, params: { ...sealed.params, amount } },
        { ...sealed, endpointId: '666' },
        { ...sealed, notBefore: '2026-11-21T09:00:00Z' },
        { ...sealed, expiresAt: '2036-12-01T00:00:00Z' },
        { ...sealed, params: { ...sealed.params, destination_card_recurring_payment_id: '666' } },
      ]);
      await world.deliver(aRecord(mine));
    },
  ]);
  return { planted: ['4111111111111111'], mustNotPay: true, run };
}

/** A registrar who comes as a second person under another spelling, or sends without a merchant's safeguards. */
function aRegistrar(): Attack {
  const name = pick(['jane', 'ada.lovelace', 'grace']);
  const spelled = pick<(it: string) => string>([
    (it) => it,
    (it) => it.toUpperCase(),
    (it) => `${it}+${Math.floor(chance() * 99)}`,
    (it) => `${it}-admin`,
    (it) => `adm.${it}`,
    (it) => `${it}${1 + Math.floor(chance() * 9)}`,
    (it) => `${it}@corp.example`,
  ])(name);
  const [registrar, approver] = [name, spelled].map((it) => `arn:aws:sts::1:assumed-role/Any/${it}`) as [
    string,
    string,
  ];
  const amount = `${1 + Math.floor(chance() * 9999)}.00`;
  const byOnePerson = async (world: World) => {
    // The store itself refuses the very name.
    const [job] = await approved(
      world.batches,
      world.approvalKey,
      [aPayoutJob({ merchant: 'two-persons', params: { amount } })],
      { registrar, approver },
    ).catch(() => []);
    if (job) await world.deliver(aRecord(job));
  };
  const inAnotherCurrency = (world: World) =>
    world.deliver(
      aRecord(aPayoutJob({ merchant: 'capped', params: { amount, currency: pick(['USD', 'GBP', 'CHF', 'KWD']) } })),
    );
  return {
    planted: ['4111111111111111'],
    mustNotPay: true,
    run: pick<(world: World) => Promise<unknown>>([byOnePerson, inAnotherCurrency]),
  };
}

/** Who decides alone that an order of two persons is not paid: without an approver, as one under another spelling, by another's word. */
function aDecider(): Attack {
  const decider = 'arn:aws:sts::1:assumed-role/Decider/jane';
  const other = 'arn:aws:sts::1:assumed-role/Approver/grace';
  const spelled = pick([
    'jane',
    'Jane',
    'jane+1',
    'jane-admin',
    `jane${1 + Math.floor(chance() * 9)}`,
    'jane@corp.example',
  ]);
  const run = async (world: World) => {
    const key = 'acme-eu/INV-1';
    world.gateway.moods('stalls');
    await world.deliver(aRecord(aPayoutJob()));
    world.clock.advance(2 * 86_400_000);
    const text = safeguardsText('here', 'acme-eu', {
      serial: 1,
      by: other,
      atMs: 0,
      twoPersonRelease: true,
      caps: {},
      logins: [],
    });
    const stored = { text, mac: await world.approvalKey.macOf(text), earlier: [] };
    const store = { place: 'here', read: async () => stored };
    const { approvalKey: macs, clock } = world;
    const secondPerson = createSecondPerson({ store, macs, identity: { whoAmI: async () => decider }, clock });
    const approvalOf = async (of: string, approver: string, more: object = {}) => {
      const order = world.items.get(key);
      const seen = order && seenByApprover(order, undefined);
      if (!seen || 'why' in seen) throw new Error('it is in doubt');
      const its = { decider, approver, atMs: clock.nowMs(), revision: order.published.revision };
      const mac = await macs.macOf(decisionText(of, seen, its));
      return Buffer.from(JSON.stringify({ ...its, mac, ...more })).toString('base64url');
    };
    const approval = await pick<() => Promise<string | undefined>>([
      async () => undefined,
      async () => noise(),
      () => approvalOf(key, `arn:aws:sts::1:assumed-role/Approver/${spelled}`),
      () => approvalOf('acme-eu/INV-2', other),
      () => approvalOf(key, other, { atMs: clock.nowMs() + 9_600_000 }),
      () => approvalOf(key, other, { approver: 'arn:aws:sts::1:assumed-role/Approver/alan' }),
      () => approvalOf(key, other, { mac: createHash('sha256').update(noise()).digest('base64url') }),
    ])();
    const said = { as: 'not-paid', by: 'jane', reason: 'mine', evenUnanswered: true } as const;
    const ports = { ...world.ports, secondPerson };
    const { kind } = await lookAndRelease(key, { ...said, ...(approval !== undefined && { approval }) }, ports);
    if (kind === 'done') throw new Error('one person has decided');
  };
  return { planted: ['4111111111111111'], mustNotPay: false, run };
}

/** A replayer: the honest row first, then messages under its id that say something else; nothing else is paid, the row is kept. */
function aReplay(): Attack {
  const row = aPayoutJob({ orderId: 'ROW-1', batchId: 'nov' });
  const other = pick<() => object>([
    () => ({ ...row, params: { ...row.params, amount: '0.01' } }),
    () => ({ ...row, expiresAt: '2020-01-01T00:00:00Z' }),
    () => ({ ...row, endpointId: '666' }),
    () => ({ ...row, params: { ...row.params, account_number: 'DE75512108001245126199' } }),
    () => ({ ...row, version: 7 }),
    () => row,
  ]);
  const run = async (world: World) => {
    await world.deliver(aRecord(row));
    const before = world.gateway.posts.length;
    await world.deliver(aRecord(JSON.stringify(other())));
    const order = world.items.get('acme-eu/ROW-1');
    const { standing } = payoutOf(rowOf(row), 'nov', order && { order });
    if (world.gateway.posts.length !== before || standing !== 'accepted')
      throw new Error('the row of another was touched');
  };
  return { planted: ['4111111111111111'], mustNotPay: false, run };
}

/** A sender who plays the words of the worker: answers, times and counts in attributes, beside an order that is in doubt or was never sent. */
function aSpeaker(): Attack {
  const number = aCardNumber(chance);
  const failure = { code: 'NOT_SENT', message: 'no' };
  const outcome = pick<object>([
    { kind: 'accepted', gatewayOrderId: pick(['777', number]) },
    { kind: 'retryable', failure },
    { kind: 'refused', failure },
  ]);
  const time = pick(['4102444800000', 'Infinity', '1e300', '-1', '', noise()]);
  const forged = {
    answer: pick([JSON.stringify({ owner: 'me', attempts: 1, statusInquiry: false, outcome }), noise()]),
    firstSentAtMs: time,
    waits: time,
    turn: time,
    redrives: time,
    originMessageId: pick(['message-1', number]),
  };
  const attributes = Object.fromEntries(Object.entries(forged).filter(() => chance() < 0.7));
  const run = async (world: World) => {
    const isSent = chance() < 0.5;
    if (isSent) {
      world.gateway.moods('stalls');
      await world.deliver(aRecord(aPayoutJob()));
      world.gateway.moods('accepts');
    }
    const unapproved = { merchant: 'two-persons', batchId: 'nov' };
    const other = pick([{}, { amount: '0.01' }]);
    await world.deliver(aRecord(aPayoutJob({ ...(!isSent && unapproved), params: other }), { attributes }));
    const believed = world.results.taken.filter(({ status }) => status === 'accepted' || status === 'approved');
    if (world.gateway.posts.length > (isSent ? 1 : 0) || believed.length > 0)
      throw new Error('a sender was taken for the worker');
  };
  return { planted: [number], mustNotPay: false, knocks: 2, run };
}

/** Who has read a genuine callback plays it again: of another type or amount, or cut so that it is about another order. */
function aReplayedCallback(): Attack {
  const key = 'acme-eu/INV-1';
  const run = async (world: World) => {
    await world.deliver(aRecord(aPayoutJob()));
    const id = world.entries.get(key)?.gatewayOrderId ?? '';
    const control = createHash('sha1').update(`approved${id}INV-1${someControlKey}`).digest('hex');
    const { door: knocks } = functionsOver(world.ports);
    const says = (orderid: string, orderId: string, more: object = {}) => {
      const query = new URLSearchParams({ status: 'approved', orderid, client_orderid: orderId, control, ...more });
      return knocks({ rawPath: '/acme-eu', rawQueryString: query.toString(), isBase64Encoded: false });
    };
    const at = 1 + Math.floor(chance() * (id.length + 4));
    const whole = `${id}INV-1`;
    const [cutId, cutOrderId] = [whole.slice(0, at), whole.slice(at)];
    const { statusCode } = await pick<() => ReturnType<typeof knocks>>([
      () => says(id, 'INV-1', { type: pick(['reversal', 'chargeback', 'refund', 'cancel', 'sale']) }),
      () => says(id, 'INV-1', { amount: `${Math.floor(chance() * 9999)}.00`, currency: pick(['EUR', 'USD']) }),
      () => says(cutId, cutOrderId),
    ])();
    if (statusCode !== 200) throw new Error('it is genuine');
    await world.pass(600_000);
    const standing = world.entries.get(key)?.standing ?? 'not-started';
    const isTold = world.results.taken.some((it) => it.reversal !== undefined || it.orderId !== 'INV-1');
    const isKept = standings[standing].moneyMayHaveMoved;
    if (isTold || !isKept || world.gateway.posts.length > 1) throw new Error('a replayed callback was believed');
    if (cutOrderId === 'INV-1') return;
    await world.deliver(aRecord(aPayoutJob({ orderId: cutOrderId })));
    if (world.gateway.posts.length > 2) throw new Error('a callback was worth a payment');
  };
  return { planted: ['4111111111111111'], mustNotPay: false, knocks: 3, run };
}

/** A gateway that says a card number, control sequences and far too much, in every field that is kept. */
function aGateway(): Attack {
  const number = aCardNumber(chance);
  const words = `${controls}${pick(hides)(number, chance)}${controls}`;
  const long = pick(['', 'id '.repeat(20_000), '4 '.repeat(30_000), '['.repeat(60_000)]);
  const fields = {
    type: pick(['async-response', 'error', 'validation-error', words]),
    'merchant-order-id': pick(['INV-1', words]),
    'paynet-order-id': pick(['9000001', number, words]),
    'error-code': pick(['8', number, words]),
    'error-message': words + long,
    [words]: words,
  };
  const body = pick([JSON.stringify(fields), new URLSearchParams(fields).toString(), words + long, long]);
  const evidence: Evidence = pick([
    { kind: 'answer', httpStatus: pick([200, 400, 401, 409, 429, 500]), body, framing: 'delimited' },
    { kind: 'no-answer', reason: 'the connection was reset' },
  ]);
  const post = async () => evidence;
  const shown = 'paynet-order-id' in fields && body.includes(`"${number}"`) ? [] : [number];
  return {
    planted: shown,
    mustNotPay: false,
    run: (world) => world.deliver(aRecord(aPayoutJob()), undefined, { gateway: { post } }),
  };
}

/** A gateway that echoes the very card of the job, in any spelling and in several fields, in a refusal. */
function anEcho(): Attack {
  const number = aCardNumber(chance);
  const spellings = Object.entries({ ...disguises, ...gluedForms, ...echoes }).filter(
    ([name]) => name !== 'with an exponent',
  );
  const spell = pick(spellings.map(([, it]) => it) as [(typeof spellings)[number][1]]);
  const pieces = [spell(number, chance)].flat();
  const between = pick([', ', '</b><b>', ' then ', '<br/>', '&nbsp;', '", "x": "', ' · ']);
  const isSpread = chance() < 0.5 && pieces.length > 1;
  const words = (isSpread ? pieces.slice(0, -1) : pieces).join(between);
  const body = new URLSearchParams({
    type: 'error',
    'error-code': isSpread ? (pieces.at(-1) ?? '') : '8',
    'error-message': `no: ${words}`,
  });
  const evidence: Evidence = { kind: 'answer', httpStatus: 200, body: body.toString(), framing: 'delimited' };
  const job = aTransferJob({ params: { 'destination-card-no': number } });
  return {
    planted: [number, words.slice(0, 60)],
    mustNotPay: false,
    run: async (world) => {
      const sealed = await sealedFor(world, withoutParams(job, 'cvv2'));
      await world.deliver(aRecord(sealed), undefined, { gateway: { post: async () => evidence } });
    },
  };
}

/** A stranger at the public door. */
function aStranger(): Attack {
  const number = aCardNumber(chance);
  const status = pick(['approved', 'declined', number, noise()]);
  const control = createHash('sha1')
    .update(pick([`${status}11${someControlKey}`, noise()]))
    .digest('hex');
  const query = new URLSearchParams({ status, orderid: '1', client_orderid: pick(['1', number]), control, x: number });
  const rawPath = pick(['/acme-eu', `/${number}`, `/${encodeURIComponent(noise().toWellFormed())}`]);
  const rawQueryString = pick([query.toString(), `${query}&x=${'4 '.repeat(20_000)}`, noise()]);
  return {
    planted: [number],
    mustNotPay: true,
    run: (world) => functionsOver(world.ports).door({ rawPath, rawQueryString, isBase64Encoded: false }),
  };
}

/** An operator who pastes a card number into a reason. */
function anOperator(): Attack {
  const number = aCardNumber(chance);
  const said = { by: `ada${controls}`, reason: `refund of ${pick(hides)(number, chance)}` };
  const run = pick<(world: World) => Promise<unknown>>([
    (world) => cancelOrder({ merchant: 'acme-eu', orderId: 'INV-9', ...said }, world.ports),
    async (world) => {
      world.gateway.moods('stalls');
      await world.deliver(aRecord(aPayoutJob()));
      // Earlier, no one may say that it is not paid.
      world.clock.advance(2 * 86_400_000);
      const { kind } = await lookAndRelease(
        'acme-eu/INV-1',
        { as: 'not-paid', evenUnanswered: true, ...said },
        world.ports,
      );
      expect(kind).toBe('done');
    },
  ]);
  return { planted: [number], mustNotPay: false, run };
}

/** All that can be read afterwards, as it is written. */
function outletsOf(world: World): string {
  const lines: string[] = [];
  const logger = createJsonLogger({ write: (line) => lines.push(line), nowMs: () => 0 });
  for (const { level, event, fields } of world.log) logger.write(level as 'info', event as 'job', fields);
  const whole = (it: unknown) =>
    JSON.stringify(it, (_, part) => (typeof part === 'bigint' ? String(part) : (part as unknown)));
  const { results, items, entries, jobsQueue, ownQueue, figures } = world;
  const queues = [jobsQueue.deadLetters.taken, [...world.parked.values()], ownQueue.taken];
  const told = [
    ...results.taken.map((it) => resultText(it as unknown as Result)),
    ...lines,
    whole([...items, ...entries, ...queues, figures]),
  ];
  return shownSafely(told.join('\n'));
}

/** Who writes the table of what waits: two jobs wait, one takes parts of the other and is left alone. */
function aSwapper(): Attack {
  const written = 'only the gateway reads this';
  const bits = (text: string) => {
    const bytes = Buffer.from(text, 'base64url');
    const at = Math.floor(chance() * bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(chance() * 8));
    return bytes.toString('base64url');
  };
  const swap = pick<(one: ParkedJob, two: ParkedJob) => ParkedJob>([
    (one, two) => ({ ...one, sealed: two.sealed }),
    (one, two) => ({ ...one, sealed: { ...one.sealed, text: two.sealed.text } }),
    (one, two) => ({ ...one, sealed: { ...one.sealed, iv: two.sealed.iv } }),
    (one) => ({ ...one, sealed: { ...one.sealed, text: bits(one.sealed.text) } }),
    (one) => ({ ...one, sealed: { ...one.sealed, iv: bits(one.sealed.iv) } }),
    (one) => ({ ...one, sealed: { ...one.sealed, wrappedKey: noise() } }),
  ]);
  const merchants = pick<readonly [string, string]>([
    ['acme-eu', 'acme-eu'],
    ['acme-eu', 'capped'],
    ['capped', 'acme-eu'],
  ]);
  const run = async (world: World) => {
    const by = { by: 'anna', reason: 'month end', atMs: world.clock.nowMs() };
    await world.controls.pause(undefined, true, by);
    const params = (n: number) => ({ amount: `${n}.00`, currency: 'EUR', order_desc: written });
    await world.deliver(
      merchants.map((merchant, n) => aRecord(aPayoutJob({ merchant, orderId: `W-${n}`, params: params(n + 1) }))),
    );
    const entries = [...world.parked.entries()];
    const [one, two] = ['W-0', 'W-1'].map((id) => entries.find(([, { key }]) => key.endsWith(id)));
    if (!one || !two) throw new Error('both wait');
    world.parked.set(one[0], swap(one[1], two[1]));
    world.parked.delete(two[0]);
    await world.controls.pause(undefined, false, by);
    await world.again();
  };
  return { planted: [written], mustNotPay: true, knocks: 2, run };
}

const digitsOf = (text: string) => text.normalize('NFKD').replaceAll(/\D/g, '');

/** Who attacks, and how much of all attacks is theirs. */
const kinds: readonly (readonly [kind: string, make: () => Attack, share: number])[] = [
  ['senders', aSender, 2],
  ["senders of the worker's words", aSpeaker, 1],
  ['forgers', aForger, 1],
  ['registrars', aRegistrar, 1],
  ['deciders', aDecider, 1],
  ['replays of rows', aReplay, 1],
  ['replays of callbacks', aReplayedCallback, 1],
  ['gateways', aGateway, 1],
  ['echoes of cards', anEcho, 1],
  ['strangers', aStranger, 1],
  ['operators', anOperator, 1],
  ['swappers of what waits', aSwapper, 1],
];
const shares = kinds.flatMap(([kind, make, share]) => Array.from({ length: share }, () => ({ kind, make })));

const noneFound = { attacks: 0, leaks: 0, unapproved: 0, crashes: 0, unbounded: 0 };
type Found = typeof noneFound;

const parkedLine = (kind: string, { attacks: thrown, leaks, unapproved, crashes, unbounded }: Found) =>
  `${kind}: ${thrown} attacks: ${leaks} leaks, ${unapproved} unapproved, ${crashes} crashes, ${unbounded} unbounded costs\n`;

it(
  'nothing leaks, nothing unapproved is paid, nothing crashes, nothing costs without bound',
  { timeout: 900_000 },
  async () => {
    const found = new Map(kinds.map(([kind]) => [kind, { ...noneFound }]));
    const stories: string[] = [];
    for (let n = 0; n < attacks; n += 1) {
      const { kind, make } = pick(shares as [(typeof shares)[0]]);
      const attack = make();
      const twoPersons = someCredentials({ profile: { twoPersonRelease: true } });
      const capped = someCredentials({ profile: { caps: { EUR: { single: '10000.00' } } } });
      const world = aWorld({ merchants: { 'acme-eu': someCredentials(), 'two-persons': twoPersons, capped } });
      const before = process.cpuUsage();
      const crash = await attack.run(world).then(
        () => world.log.some(({ event }) => event === 'job-failed'),
        () => true,
      );
      const { user, system } = process.cpuUsage(before);
      const ms = (user + system) / 1000;
      const outlets = outletsOf(world);
      const digits = digitsOf(outlets);
      const isLeak = attack.planted.some((it) => outlets.includes(it) || (/^\d+$/.test(it) && digits.includes(it)));
      const { posts } = world.gateway;
      const counts = {
        posts: posts.length,
        results: world.results.taken.length,
        copies: world.waits().length,
        deadLetters: world.jobsQueue.deadLetters.taken.length,
        lines: world.log.length,
        ms,
      };
      const isUnbounded = Object.entries(atMost).some(
        ([name, most]) => counts[name as keyof typeof counts] > most * (attack.knocks ?? 1),
      );
      const judged = {
        leaks: isLeak,
        unapproved: attack.mustNotPay && posts.length > 0,
        crashes: crash,
        unbounded: isUnbounded,
      };
      const ofKind = found.get(kind) ?? { ...noneFound };
      ofKind.attacks += 1;
      for (const [name, is] of Object.entries(judged)) if (is) ofKind[name as keyof typeof judged] += 1;
      if (Object.values(judged).some(Boolean))
        stories.push(
          `${n} ${kind} ${JSON.stringify({ ...judged, counts, planted: attack.planted, near: attack.planted.map((it) => outlets.slice(Math.max(outlets.indexOf(it) - 200, 0), outlets.indexOf(it) + 60)) })}`,
        );
    }
    const sum = { ...noneFound };
    for (const its of found.values()) for (const name of Object.keys(sum) as (keyof Found)[]) sum[name] += its[name];
    process.stdout.write([...found].map(([kind, its]) => parkedLine(kind, its)).join('') + parkedLine('all', sum));
    expect(stories.slice(0, 10)).toEqual([]);
  },
);
