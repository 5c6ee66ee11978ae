// Things as the pages show them: orders, what waits for a person, lanes, dead letters. A thing bears the acts on it, by their table.
import type { LookedLetter, Question } from '../operate/operator.ts';
import { redriveClasses } from '../dead-letters/judge-dead-letter.ts';
import { codeOf } from '../dead-letters/scan-dead-letters.ts';
import { amountFields, formatMinorUnits, type Money } from '../gateway/money.ts';
import { type Given, lookAhead, type OperatorDesk } from '../operate/act.ts';
import { type ActName, actNames, actOf } from '../operate/acts.ts';
import { gatewayCodes, reportedOf, type Tone, toneOf } from '../operate/order-words.ts';
import { actOnHeld, questionText, workersFailed } from '../operate/questions.ts';
import { namesOfKey } from '../payout/order/order.ts';
import type { OrderView } from '../payout/order/projection.ts';
import { type Standing, standings } from '../payout/order/standing.ts';
import type { ParkedHead } from '../payout/wait/parked-job.ts';
import { endedBy } from '../payout/wait/reasons.ts';
import { type LaneView, waitsForPerson } from '../payout/pace/lane-view.ts';
import { part } from './part.ts';

/** An act on a thing: possible with these fields, or why not now. */
interface Can {
  readonly act: ActName;
  readonly given: Given;
  readonly says: string;
  readonly why?: string;
  /** The choice that is refused now, while the others are offered. */
  readonly but?: string;
}

/** A standing as a page shows it. */
export const standingShown = (id: Standing) => ({
  id,
  label: id,
  tone: toneOf(id),
  meaning: standings[id].meaning,
});

/** An act that is offered: what it does is said beside it. */
const can = (act: ActName, given: Given, why?: string): Can => ({
  act,
  given,
  says: actOf(act).effect(given),
  why,
});

/** Every act on this kind of thing, and why each that is refused now is. */
export async function actsOn(
  kind: 'order' | 'lane' | 'batch' | 'everywhere',
  given: Given,
  desk: OperatorDesk,
): Promise<readonly Can[]> {
  const all = actNames.filter((name) => (actOf(name).on as readonly string[]).includes(kind));
  return Promise.all(
    all.map(async (name) => {
      if (kind === 'batch' || kind === 'everywhere') return can(name, given);
      const looked = await part(() => lookAhead(actOf(name), desk, given));
      if (looked.kind !== 'found') return can(name, given, looked.why);
      const { why, but } = looked.value;
      const it = can(name, given, why);
      return but === undefined ? it : { ...it, but };
    }),
  );
}

const sentence = (text: string) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

/** What was seen of an order, in words: all that a person can decide by here. */
function seenOf(entry: OrderView): readonly string[] {
  const { failure, gatewayOrderId, earlierAttempts = [] } = entry;
  const from = gatewayCodes(entry);
  return [
    failure && `${failure.message}${from && ` (${from})`}`,
    gatewayOrderId === undefined && 'The gateway has named no id of its own',
    earlierAttempts.length > 0 && `Sent before: ${earlierAttempts.length} ×`,
    ...reportedOf(entry),
  ]
    .filter((it) => typeof it === 'string')
    .map(sentence);
}

export const orderAddress = (key: string): string => `#/orders/${encodeURIComponent(key).replaceAll('%2F', '/')}`;

const moneyFields = (money: Money | undefined) => (money ? amountFields(money) : {});

/** An order, as a row and as the dialog of an act shows it. */
export function orderThing(entry: OrderView) {
  const { key, merchant, endpointId: endpoint, money, gatewayOrderId, createdAtMs: sentAtMs } = entry;
  return {
    id: key,
    what: key,
    title: entry.orderId,
    href: orderAddress(key),
    merchant,
    endpoint,
    ...moneyFields(money),
    payee: entry.payee,
    sentAtMs,
    gatewayOrderId,
    seen: seenOf(entry),
    state: standingShown(entry.standing),
  };
}

/** A job that waits. */
export const parkedThing = ({ key, digest, lane, because, sinceMs, goAtMs, money, batchId }: ParkedHead) => ({
  id: `${key} ${digest}`,
  what: key,
  href: orderAddress(key),
  endpoint: lane?.endpointId,
  reason: `${because}, ended by ${endedBy(because)}`,
  sinceMs,
  goAtMs,
  batch: batchId,
  ...moneyFields(money),
});

/** The acts on a dead letter: its plan was judged by the gates that a worker would ask. */
const letterActs = ({ messageId: message, class: name, because }: LookedLetter): readonly Can[] => [
  can('redrive', { message }, redriveClasses[name].moves ? undefined : `${redriveClasses[name].says} (${because})`),
  can('discard', { message }),
];

/** A dead letter. */
export function letterThing(letter: LookedLetter) {
  const { messageId, order, merchant, money, sentAtMs: sinceMs, class: name, redrives, from } = letter;
  const says = redriveClasses[name];
  return {
    id: messageId,
    what: order ?? messageId,
    title: order === undefined ? messageId.slice(0, 13) : namesOfKey(order).orderId,
    href: `#/dead-letters/${encodeURIComponent(messageId)}`,
    merchant,
    ...moneyFields(money),
    code: codeOf(letter),
    reason: sentence(letter.reason ?? workersFailed),
    plan: {
      id: name,
      label: name,
      tone: says.moves ? 'accepted' : name === 'reject' ? 'failed' : 'waiting',
      says: says.says,
    },
    redrives,
    from,
    batch: letter.batchId,
    sinceMs,
    seen: [questionText({ kind: 'dead-letter', letter }).why],
    can: letterActs(letter),
  };
}

const laneTone = (lane: LaneView): Tone => {
  if (waitsForPerson(lane) || lane.condition === 'closed') return 'failed';
  return lane.condition === 'open' ? 'paid' : 'doubt';
};

/** A lane. */
export function laneThing(lane: LaneView) {
  const { merchant, endpointId: endpoint, condition, lines } = lane;
  const oldest = lines.flatMap(({ oldestSinceMs }) => oldestSinceMs ?? []);
  return {
    id: `${merchant}/${endpoint}`,
    what: `${merchant} at ${endpoint}`,
    href: `#/lanes/${encodeURIComponent(merchant)}/${encodeURIComponent(endpoint)}`,
    merchant,
    endpoint,
    state: { id: condition, label: condition, tone: laneTone(lane) },
    reason: lane.reason,
    remedy: lane.remedy?.replaceAll('`', ''),
    ratePerSecond: lane.ratePerSecond,
    limitPerSecond: lane.limitPerSecond,
    waiting: lane.waiting,
    oldestSinceMs: oldest.length === 0 ? undefined : Math.min(...oldest),
    sinceMs: lane.sinceMs,
    nextProbeAtMs: lane.waiting > 0 ? lane.nextProbeAtMs : undefined,
  };
}

const kinds: Readonly<Record<Question['kind'], { readonly label: string; readonly tone: Tone }>> = {
  held: { label: 'held', tone: 'doubt' },
  surprise: { label: 'contradiction', tone: 'failed' },
  'dead-letter': { label: 'dead letter', tone: 'failed' },
  lane: { label: 'lane', tone: 'failed' },
  waiting: { label: 'never sent', tone: 'waiting' },
  batch: { label: 'batch', tone: 'doubt' },
};

/** The thing that a question is about. */
function thingOf(question: Question) {
  switch (question.kind) {
    case 'held':
    case 'surprise': {
      const { entry } = question;
      const act = actOnHeld(entry);
      return { ...orderThing(entry), can: act ? [can(act, { order: entry.key })] : [] };
    }
    case 'dead-letter':
      return { ...letterThing(question.letter), reason: undefined };
    case 'lane': {
      const { merchant, endpointId: endpoint } = question.lane;
      const given = { merchant, endpoint };
      return {
        ...laneThing(question.lane),
        title: `${merchant} at ${endpoint}`,
        can: [can('resume', given), can('probe', given)],
      };
    }
    case 'waiting': {
      const { key, money, lane } = question.row;
      const { merchant, orderId: title } = namesOfKey(key);
      const place = { merchant, endpoint: lane?.endpointId, href: orderAddress(key), ...moneyFields(money) };
      return { id: `${key} ${question.row.digest}`, title, ...place, can: [can('cancel', { order: key })] };
    }
    case 'batch': {
      const { batchId: batch, merchant, totals } = question.batch;
      const given = { batch };
      const href = `#/batches/${encodeURIComponent(batch)}`;
      const [sum] = sumsOf(totals);
      return { id: `batch ${batch}`, title: batch, href, merchant, ...sum, can: [can('cancel', given)] };
    }
  }
}

/** What waits for a person, as a row. */
export function needThing(question: Question) {
  const { label: kindLabel, tone } = kinds[question.kind];
  const { money: _shown, why, ...text } = questionText(question);
  const [code] = /^[A-Z][A-Z_]+(?=: )/.exec(why) ?? [];
  const reason = sentence(code === undefined ? why : why.slice(code.length + 2));
  const thing = thingOf(question);
  const seen = 'seen' in thing ? thing.seen : [];
  return { ...thing, ...text, seen, code, reason, kind: question.kind, kindLabel, tone };
}

/** A row of the page of what waits for a person. */
export type NeedThing = ReturnType<typeof needThing>;

/** Sums by currency, the greatest number of payouts first. */
export const sumsOf = (totals: Readonly<Record<string, { readonly count: number; readonly minorUnits: bigint }>>) =>
  Object.entries(totals)
    .toSorted(([, a], [, b]) => b.count - a.count)
    .map(([currency, { minorUnits }]) => ({ currency, amount: formatMinorUnits(minorUnits, currency) }));
