// A payout in two steps, walked through every death: a worker dies before or after any of its effects, at the check, at its
// payment, or at a look in between; the gateway answers, or does not. Its own books are the referee: it pays whenever it is
// asked to, so a payment that is sent twice is paid twice, and no result may contradict the books.
import type { SQSRecord } from 'aws-lambda';
import type { Evidence, Gateway, GatewayRequest } from '../../lib/gateway/ports.ts';
import { aPayoutCheck, aPayoutJob, aPayoutPay } from '../support/jobs.ts';
import { aRecord, redelivered } from '../support/records.ts';
import { aWorld, type World } from '../support/world.ts';

const minuteMs = 60_000;

/** The gateway's act on one request to start something, and the answer that the worker hears. */
const answers = {
  'is heard': { does: 'at once', hears: 'acceptance' },
  'is not heard': { does: 'at once', hears: 'nothing' },
  'gets lost': { does: 'never', hears: 'nothing' },
  'is done late': { does: 'late', hears: 'nothing' },
  'is done under a 500': { does: 'at once', hears: '500' },
  'is refused': { does: 'never', hears: 'refusal' },
  'is done, and refused as a repeat': { does: 'at once', hears: 'refusal' },
  'meets no connection': { does: 'never', hears: 'no connection' },
  'is refused for its account': { does: 'never', hears: 'account' },
  'is forbidden': { does: 'never', hears: '401' },
} as const;

/** The name of such an answer. */
type AnswerName = keyof typeof answers;

/** The names of all answers. */
const answerNames = Object.keys(answers) as AnswerName[];

/** A process dies at one of its effects: before the world sees it, or before it hears the answer. */
interface Death {
  readonly effect: number;
  readonly when: 'before' | 'after';
}

/** The schedule: the answers to both steps, the process that dies and where, and what else is sent under the order id. */
interface StepsSchedule {
  readonly check: AnswerName;
  readonly pay: AnswerName;
  readonly dies?: Death & { readonly at: 'check' | 'looks' | 'pay' };
  /** A plain payout of the same content comes before the check, or between the two steps. */
  readonly plain?: 'first' | 'between';
  /** The check's approval is called back, or replayed as its payment's, once that may have left. */
  readonly approvesCheckLate?: { readonly type?: 'payout-pay' };
}

/** The end of a schedule. */
interface StepsEnd {
  /** Effects of each process, so that the next walk knows the boundaries of its deaths. */
  readonly effects: Readonly<Record<'check' | 'looks' | 'pay', number>>;
  readonly fault?: string;
}

/** The gateway's own books. It pays as often as it is asked to. */
function createBooks(world: World, schedule: StepsSchedule) {
  const checks = new Map<string, 'validated' | 'paid'>();
  let [paid, ids] = [0, 9_000_000];
  const late: { readonly atMs: number; readonly act: () => void }[] = [];
  const says = (fields: object, httpStatus = 200): Evidence => ({
    kind: 'answer',
    httpStatus,
    body: JSON.stringify({ 'merchant-order-id': 'INV-1', ...fields }),
    framing: 'delimited',
  });

  function status(id: string | undefined): Evidence {
    const known = id ?? [...checks.keys()].at(-1);
    const standing = known === undefined ? undefined : checks.get(known);
    if (standing === undefined) return says({ type: 'error', 'error-code': 101, 'error-message': 'Order not found' });
    const money = { amount: '10.42', currency: 'EUR', 'paynet-order-id': known };
    const stage = standing === 'paid' ? 'payout_approved' : 'payout_check_validated';
    const word = standing === 'paid' ? 'approved' : 'processing';
    return says({ type: 'status-response', status: word, 'order-stage': stage, ...money });
  }

  const gateway: Gateway = {
    async post({ url, body }: GatewayRequest) {
      for (const { act } of late.filter(({ atMs }) => atMs <= world.clock.nowMs())) act();
      late.splice(0, late.length, ...late.filter(({ atMs }) => atMs > world.clock.nowMs()));
      const orderId = /orderid=(\d+)/.exec(body.replace(/client[_-]orderid=[^&]*/, ''))?.[1];
      if (url.includes('/v4/status/')) return status(orderId);
      const step = url.includes('/payout-check/') ? 'check' : url.includes('/payout-pay/') ? 'pay' : 'plain';
      const id = step === 'pay' ? (orderId ?? '') : String((ids += 1));
      const act = () => {
        if (step !== 'check') paid += 1;
        checks.set(id, step === 'check' ? 'validated' : 'paid');
      };
      const name = step === 'plain' ? 'is heard' : first(step) ? schedule[step] : 'is heard';
      const { does, hears } = answers[name];
      if (does === 'at once') act();
      if (does === 'late') late.push({ atMs: world.clock.nowMs() + 5 * minuteMs, act });
      return heard(hears, id);
    },
  };
  const seen = new Set<string>();
  const first = (step: string) => !seen.has(step) && Boolean(seen.add(step));
  function heard(hears: (typeof answers)[AnswerName]['hears'], id: string): Evidence {
    switch (hears) {
      case 'acceptance':
        return says({ type: 'async-response', 'paynet-order-id': Number(id) });
      case 'refusal':
        return says({ type: 'error', 'error-code': 8, 'error-message': 'wrong state' });
      case 'account':
        return says({ type: 'error', 'error-code': 1005, 'error-message': 'The gates list is empty' });
      case 'nothing':
        return { kind: 'no-answer', reason: 'no answer within 20000 ms' };
      case 'no connection':
        return { kind: 'not-sent', reason: 'connect ECONNREFUSED' };
      case '500':
        return says({}, 500);
      case '401':
        return says({}, 401);
    }
  }
  return { gateway, paid: () => paid, lastId: () => [...checks.keys()].at(-1) };
}

const approval = { client_orderid: 'INV-1', status: 'approved', amount: '10.42', currency: 'EUR' };

class Died extends Error {}

/** Ports of a process that dies at one of its effects; afterwards the world hears no more of it. */
function mortal<P extends object>(ports: P, names: readonly (keyof P)[], death: Death | undefined) {
  let [effects, dead] = [0, false];
  const living = <T extends object>(port: T): T =>
    new Proxy(port, {
      get(of, verb) {
        const call: unknown = Reflect.get(of, verb);
        if (typeof call !== 'function') return call;
        return async (...given: unknown[]) => {
          const effect = (effects += 1);
          if (dead || (death?.effect === effect && death.when === 'before')) dead = true;
          if (dead) throw new Died();
          const answer: unknown = await Reflect.apply(call, of, given);
          if (death?.effect === effect) dead = true;
          if (dead) throw new Died();
          return answer;
        };
      },
    });
  const wrapped = Object.fromEntries(names.map((name) => [name, living(ports[name] as object)]));
  return { ports: { ...ports, ...wrapped }, effects: () => effects, isDead: () => dead };
}

const touched = ['orders', 'gateway', 'results', 'jobsQueue', 'ownQueue', 'rowNotes'] as const;

/** Walks one schedule to its end. */
async function walkSteps(schedule: StepsSchedule): Promise<StepsEnd> {
  const { dies, plain, approvesCheckLate } = schedule;
  const world = aWorld({
    profile: { statusInquiry: true, twoStepPayouts: true, doubtHorizonSeconds: 1_200 },
    lanes: 'open',
  });
  const books = createBooks(world, schedule);
  Object.assign(world.ports, { gateway: books.gateway });
  const honest = { ...world.ports };
  const effects = { check: 0, looks: 0, pay: 0 };

  /** Delivers until nothing comes back: messages that it leaves to wait are looked at too. */
  async function deliver(record: SQSRecord, at: 'check' | 'pay' | 'plain') {
    const process = mortal(honest, touched, dies?.at === at ? dies : undefined);
    const stays = await world.deliver(record, undefined, process.ports).catch(() => ['died']);
    if (at !== 'plain') effects[at] = process.effects();
    if (stays.length > 0 || process.isDead()) {
      await world.pass(4 * minuteMs);
      await world.deliver(redelivered(record));
    }
    await waitsEnd();
  }

  /** Brings the waiting messages again, and with them any answers that they carry. */
  async function waitsEnd() {
    for (let round = 0; round < 5 && world.waits().length > 0; round += 1) {
      await world.pass(4 * minuteMs);
      await world.again();
    }
  }

  async function looks(ms: number) {
    const process = mortal(honest, touched, dies?.at === 'looks' ? dies : undefined);
    Object.assign(world.ports, process.ports);
    await world.pass(minuteMs).catch(() => {});
    effects.looks = process.effects();
    Object.assign(world.ports, honest);
    await world.pass(ms);
  }

  const plainJob = aRecord(aPayoutJob(), { messageId: 'm-plain' });
  const check = aRecord(aPayoutCheck(), { messageId: 'm-check' });
  const pay = aRecord(aPayoutPay(), { messageId: 'm-pay' });
  if (plain === 'first') await deliver(plainJob, 'plain');
  await deliver(check, 'check');
  await looks(10 * minuteMs);
  if (plain === 'between') await deliver(plainJob, 'plain');
  await deliver(pay, 'pay');
  const orderid = books.lastId();
  if (approvesCheckLate && orderid !== undefined) await world.callBack({ ...approval, orderid, ...approvesCheckLate });
  // Everything comes again: SQS delivers at least once, and senders send twice.
  await world.deliver([redelivered(pay), redelivered(check), aRecord(aPayoutPay()), aRecord(aPayoutCheck())]);
  await waitsEnd();
  await world.pass(8 * minuteMs);
  await world.deliver([redelivered(pay), aRecord(aPayoutPay())]);
  await world.pass(30 * minuteMs);
  await world.deliver([redelivered(pay), aRecord(aPayoutPay())]);
  const fault = faultOf(world, books.paid(), schedule);
  return { effects, ...(fault !== undefined && { fault }) };
}

/** A result that contradicts the books, or one that is never published. */
function faultOf({ results, entries }: World, paid: number, schedule: StepsSchedule): string | undefined {
  const { plain, check, pay, dies, approvesCheckLate } = schedule;
  if (paid > 1) return `INV-1 was paid ${paid} times`;
  const told = results.taken.filter(({ revision }) => revision !== 0);
  const last = told.at(-1);
  if (told.some(({ status }) => status === 'approved') && paid === 0) return 'told as approved, and nothing was paid';
  const isTaken = told.some(({ operation, status }) => operation === 'payout-pay' && status === 'accepted');
  if (isTaken && paid === 0) return 'told as accepted, and nothing was paid';
  const denies = ['declined', 'failed', 'cancelled'];
  if (paid === 1 && last && denies.includes(last.status)) return `paid, and told as ${last.status}`;
  const rests = last?.failure?.code === 'CHECK_VALIDATED';
  if (paid === 1 && rests) return 'paid, and told as resting at its check';
  const entry = entries.get('acme-eu/INV-1');
  if (!entry || entry.state === 'submitting') return 'the order was forgotten';
  if (entry.state !== 'retryable' && told.findLast(({ revision }) => revision === entry.revision) === undefined)
    return `nobody was told that it is ${entry.state}`;
  const isAccountAlone =
    check === 'is heard' && pay === 'is refused for its account' && !dies && !plain && !approvesCheckLate;
  if (isAccountAlone && paid === 0) return 'never paid, for what is not about it';
  if (plain === 'first' && entry.operation !== 'payout') return 'a step was taken over a plain payout';
  return undefined;
}

const typical: ReadonlySet<AnswerName> = new Set(['is heard', 'is not heard', 'is done late']);

/** Walks every answer to either step, and for some of them every death; walks every `stride`-th schedule. */
export async function walkEveryStep(stride = 1): Promise<{ readonly schedules: number; readonly fault?: string }> {
  let schedules = 0;
  const broken = async (schedule: StepsSchedule) => {
    schedules += 1;
    const { fault, ...end } = await walkSteps(schedule);
    return { ...end, fault: fault === undefined ? undefined : `${fault}: ${JSON.stringify(schedule)}` };
  };
  const pairs = answerNames.flatMap((check) => answerNames.map((pay) => ({ check, pay })));
  for (const [index, pair] of pairs.entries()) {
    if (index % stride !== 0) continue;
    const { effects, fault } = await broken(pair);
    if (fault !== undefined) return { schedules, fault };
    // The gateway's act on a check beyond these three changes nothing of how its payment dies.
    const deaths = !typical.has(pair.check)
      ? []
      : (['check', 'looks', 'pay'] as const).flatMap((at) =>
          Array.from({ length: effects[at] }, (_, effect) => [
            { at, effect: effect + 1, when: 'before' as const },
            { at, effect: effect + 1, when: 'after' as const },
          ]).flat(),
        );
    const others: StepsSchedule[] = [
      ...deaths.map((dies) => ({ ...pair, dies })),
      { ...pair, plain: 'first' },
      { ...pair, plain: 'between' },
      { ...pair, approvesCheckLate: {} },
      { ...pair, approvesCheckLate: { type: 'payout-pay' } },
    ];
    for (const schedule of others) {
      const end = await broken(schedule);
      if (end.fault !== undefined) return { schedules, fault: end.fault };
    }
  }
  return { schedules };
}
