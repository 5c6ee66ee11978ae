// Every act of a person on orders, batches, merchants, lanes and dead letters, a row each.
import type { SecondApproval } from './second-approval.ts';
import { movable } from '../dead-letters/redrive-dead-letters.ts';
import type { DeadLetterFilter, Walk } from '../dead-letters/scan-dead-letters.ts';
import * as v from 'valibot';
import { isGatewayId } from '../gateway/gateway-outcome.ts';
import type { Operated } from '../payout/operate/decide.ts';
import { counted, shellWord, tool } from '../payout/operate/spelling.ts';
import { namesOfKey } from '../payout/order/order.ts';
import { viewOf } from '../payout/order/projection.ts';
import { merchantActs } from './merchant-acts.ts';
import type { Act, CommandEnd, OperatorDesk, Ended, ActField, Given, Shown } from './act.ts';
import { checkNames, UsageError } from '../files/usage-error.ts';

const order: ActField = {
  label: 'Order, as merchant/order id',
  shape: /^[^/]+\/.+$/s,
  form: 'write the order as <merchant>/<order id>',
};
const merchant: ActField = { label: 'Merchant' };
const reason: ActField = { label: 'Reason: what you saw, or why', flag: '--reason' };
const maybe = <F extends ActField>(field: F) => ({ ...field, optional: true }) as const;
const seenField = {
  label: 'What was shown, as `order` prints it',
  flag: '--seen',
  optional: true,
  isSeen: true,
} as const;
const shownField = { ...seenField, shape: /^[\w-]{16}$/, form: `must be as \`${tool} order\` prints it` } as const;
const gatewayOrderId: ActField = {
  label: "The gateway's order id, if you have it",
  flag: '--id',
  optional: true,
  fault: (text) =>
    isGatewayId(text) ? undefined : 'must be the gateway\'s order id: 1 to 40 letters, digits, "-" or "_"; 0 is none',
};

/** Why nothing was decided. */
export function sentenceOf(operated: Exclude<Operated, { kind: 'done' | 'beforehand' }>): string {
  switch (operated.kind) {
    case 'not-found':
      return 'the ledger has no such order';
    case 'refused':
      return operated.why;
    case 'needs-approver':
      return `two persons say that an order of this merchant is not paid: an approver looks at it and runs \`${tool} approve ${shellWord(operated.key)} --for ${shellWord(operated.decider)}\`; then run the same command with the --approval that it prints`;
    case 'asking':
      return 'the gateway is asked first: run the same command in a minute; if no answer comes, add --force';
  }
}

function operatedEnd(operated: Operated): Ended {
  if (!('order' in operated)) {
    const { kind: outcome, ...details } = operated;
    return { done: false, text: sentenceOf(operated), value: { outcome, ...details } };
  }
  const { kind: outcome } = operated;
  const view = viewOf(operated.order);
  const published = operated.kind === 'beforehand' || operated.published;
  const texts = [`${view.key} is ${view.standing} now`, !published && 'its result is published within a few minutes'];
  const text = texts.filter((it) => it !== false).join('; ');
  return { done: true, text, order: view, value: { outcome, published } };
}

/** Why there is no approval. */
function whyNoApproval(approval: Exclude<SecondApproval, { readonly kind: 'approved' }>, decider: string): string {
  switch (approval.kind) {
    case 'one-person':
      return `${approval.approver} and ${decider} may be one person; another approver must look at it`;
    case 'not-found':
      return 'the ledger has no such order';
    case 'refused':
      return approval.why;
  }
}

type Acting = Pick<OperatorDesk, 'operator' | 'signal'>;

async function paused(operator: OperatorDesk['operator'], it: Given): Promise<Ended> {
  const { merchant: name, endpoint, reason: why = '' } = it;
  if (endpoint !== undefined) {
    const lane = laneOf(it);
    const isNew = await operator.pauseLane(lane, why);
    const doubt = isNew ? `; nothing was ever sent there: is that the endpoint? \`${tool} lanes\` lists them` : '';
    const text = `${name} at ${endpoint}: paused; nothing new is sent there within 10 seconds, jobs wait${doubt}`;
    return { done: true, text, value: { ...lane, outcome: 'paused' } };
  }
  if ((await operator.pause(name, true, why)) === 'no-secret') return noSecret(name);
  const text = `${name ?? 'all merchants'}: paused; nothing new is sent within 5 seconds, jobs wait`;
  return { done: true, text, value: { merchant: name ?? null, outcome: 'paused' } };
}

function laneOf({ merchant: name, endpoint: endpointId = '' }: Given) {
  if (name === undefined) throw new UsageError('name the merchant of the endpoint');
  return { merchant: name, endpointId };
}

const noSecret = (name = ''): Ended => ({
  done: false,
  text: `there is no secret for a merchant "${name}"; nothing was changed`,
  value: { merchant: name, outcome: 'merchant-unknown' },
});

/** The merchant's own pause ends, and its lanes open; a lane that was paused by its endpoint needs that. */
async function resumed(operator: OperatorDesk['operator'], it: Given): Promise<Ended> {
  const { merchant: name, endpoint, reason: why = '' } = it;
  if (endpoint !== undefined) laneOf(it);
  const ended = endpoint === undefined ? await operator.pause(name, false, why) : undefined;
  if (ended === 'no-secret') return noSecret(name);
  if (name === undefined) {
    const kept = await operator.pausedByName();
    const others = kept.length === 0 ? '' : `; paused by their own names, and still: ${kept.join(', ')}`;
    const what = ended === 'was-not' ? 'all merchants: were not paused' : 'all merchants: resumed';
    return { done: true, text: `${what}${others}`, value: { merchant: null, outcome: 'resumed', stillPaused: kept } };
  }
  const found = await operator.resumeLanes(name, endpoint);
  if (!found) return noLane(name, endpoint);
  const { changed, stillPaused, merchantPaused, allPaused } = found;
  const where = endpoint === undefined ? name : `${name} at ${endpoint}`;
  const what = ended !== 'done' && changed.length === 0 ? 'was neither paused nor closed' : 'resumed';
  const still = [
    ...stillPaused.map((lane) => `; ${lane} stays paused, as it was by its own name: add --endpoint ${lane}`),
    merchantPaused && !allPaused && `; the merchant itself stays paused: \`${tool} resume ${shellWord(name)}\``,
    allPaused && `; it stays paused with all merchants: \`${tool} resume\``,
  ].filter((line) => line !== false);
  const value = { merchant: name, endpointId: endpoint, outcome: 'resumed' };
  return { done: true, text: `${where}: ${what}${still.join('')}`, value: { ...value, stillPaused, merchantPaused } };
}

/** The lanes that the brake has closed, which a resume of their merchant opens too. */
async function closedLanes({ operator }: OperatorDesk, { merchant: name, endpoint }: Given): Promise<Shown> {
  if (name === undefined || endpoint !== undefined) return {};
  const lanes = (await operator.lanes()).filter(
    (lane) => lane.merchant === name && (lane.condition === 'closed' || lane.condition === 'probing'),
  );
  const lines = lanes.map(
    ({ endpointId, condition, reason: why }) => `  ${name} at ${endpointId} is ${condition}: ${why}`,
  );
  return lines.length === 0 ? {} : { text: ['Refusals or failures have closed these lanes:', ...lines].join('\n') };
}

const noLane = (name: string, endpoint?: string): Ended => ({
  done: false,
  text: `there is no lane of ${endpoint === undefined ? name : `${name} at ${endpoint}`}: nothing was ever sent there. \`${tool} lanes\` lists them`,
  value: { merchant: name, outcome: 'no-lane' },
});

async function probed({ operator }: Acting, { merchant: name = '', endpoint }: Given): Promise<Ended> {
  const found = await operator.probeLanes(name, endpoint);
  if (!found) return noLane(name, endpoint);
  const { changed, stillPaused } = found;
  const stops = stillPaused.map(
    (lane) => `; ${lane} is paused: \`${tool} resume ${shellWord(name)} --endpoint ${shellWord(lane)}\``,
  );
  const value = { merchant: name, outcome: changed.length === 0 ? 'not-closed' : 'probing', endpoints: changed };
  return changed.length === 0
    ? { done: false, text: `${name}: no lane of it is closed, so there is nothing to try${stops.join('')}`, value }
    : { done: true, text: `${name} at ${changed.join(', ')}: the next order that comes back is the probe`, value };
}

// Dead letters: chosen, judged anew, and moved or ended.

/** Which dead letters are meant. */
export const choosing = {
  order: { ...maybe(order), flag: '--order', isTyped: true },
  batch: { label: 'Batch', flag: '--batch', optional: true, isTyped: true },
  merchant: { label: 'Merchant', flag: '--merchant', optional: true, isTyped: true },
  code: {
    label: 'Reason code; "sqs" for those that SQS moved itself',
    flag: '--code',
    optional: true,
    isTyped: true,
  },
  search: { label: 'Text that any part shows', flag: '--search', optional: true, isTyped: true },
} as const satisfies Readonly<Record<string, ActField>>;
const message: ActField = {
  label: 'Messages, by their ids here or those that were sent first',
  flag: '--message',
  isMany: true,
  optional: true,
};

const choiceOf = ({ order: key, batch, merchant: name, code, search, message: ids }: Given): DeadLetterFilter => ({
  order: key,
  batch,
  merchant: name,
  code,
  search,
  messages: ids?.split('\n'),
});

async function planned({ operator, signal }: Acting, it: Given): Promise<Shown> {
  const { plan, walk } = await operator.planRedrive(choiceOf(it), signal ? { signal } : {});
  if (walk.end === 'interrupted') return { why: interrupted };
  const why = plan.deadLetters.length === 0 ? 'no such dead letter' : undefined;
  return { plan, note: walkNote(walk) || undefined, why };
}

const interrupted = 'interrupted; every dead letter was given back';

const merchantsOf = (_it: Given, { plan }: Shown): readonly string[] =>
  (plan?.deadLetters ?? []).flatMap(({ order: key }) => (key === undefined ? [] : [namesOfKey(key).merchant]));

async function redriven(desk: Acting, it: Given, shown: Shown): Promise<Ended> {
  const plan = shown.plan ?? (await planned(desk, it)).plan ?? { deadLetters: [] };
  const moves = movable(plan).size;
  if (moves === 0) return { done: true, text: 'nothing to redrive', value: { planned: 0, redriven: 0 } };
  const { moved, walk } = await desk.operator.redrive(plan, desk.signal ? { signal: desk.signal } : {});
  const count = (end: string) => [...moved.values()].filter((one) => one === end).length;
  const notDeleted = count('redriven-not-deleted');
  const done = count('redriven') + notDeleted;
  const left = { changed: count('changed'), notTaken: count('not-taken'), gone: moves - moved.size };
  const lines = [
    `${done} of ${counted(moves, 'dead letter')} redriven`,
    notDeleted > 0 && `${notDeleted} of these could not be deleted and may come a second time, which is harmless`,
    left.changed > 0 && `${left.changed} left: the plan does not hold for them any more; plan again`,
    left.notTaken > 0 && `${left.notTaken} left: the jobs queue did not take them; try again`,
    left.gone > 0 && `${left.gone} not found: gone meanwhile, or another person looks at them`,
    walkNote(walk),
  ].filter((line) => line !== false);
  const value = { planned: moves, redriven: done, notDeleted, ...left, walk };
  return { done: done === moves && walk.end !== 'interrupted', text: lines.join('\n'), value };
}

/** The note on a walk that did not see everything. */
export function walkNote({ seen, end }: Walk): string | false {
  if (end === 'interrupted') return interrupted;
  return (
    end === 'time' && `stopped after ${counted(seen, 'dead letter')}, in time to give them back; there may be more`
  );
}

async function discarded(desk: Acting, it: Given, shown: Shown): Promise<Ended> {
  const plan = shown.plan ?? (await planned(desk, it)).plan ?? { deadLetters: [] };
  const these = plan.deadLetters.map(({ messageId }) => messageId);
  if (these.length === 0) return { done: false, text: 'no such dead letter', value: { discarded: 0, found: 0 } };
  const ends = await desk.operator.discard(these, it['reason'] ?? '', desk.signal ? { signal: desk.signal } : {});
  const lines = [...ends].map(([messageId, end]) =>
    end.kind === 'refused'
      ? { messageId, outcome: end.kind, why: end.why }
      : { messageId, outcome: end.kind, resultId: end.result.resultId, status: end.result.status },
  );
  const texts = lines.map((line) => {
    if ('why' in line) return `${line.messageId}  not discarded: ${line.why}`;
    const kept = line.outcome === 'not-deleted' ? '; it could not be deleted, discard it again' : '';
    return `${line.messageId}  its result says ${line.status} (${line.resultId})${kept}`;
  });
  const done = lines.filter(({ outcome }) => outcome === 'discarded').length;
  const value = { discarded: done, found: these.length, deadLetters: lines };
  const text = [...texts, '', `${done} of ${counted(these.length, 'dead letter')} discarded`].join('\n');
  return { done: done === these.length, text, value };
}

const letters = ({ plan }: Shown, isMoved: boolean) =>
  counted(plan ? (isMoved ? movable(plan).size : plan.deadLetters.length) : 0, 'dead letter');

async function approvable({ operator }: OperatorDesk, it: Given): Promise<Shown> {
  const found = await operator.approvable(it['order'] ?? '', it['gatewayOrderId']);
  if (found.kind !== 'approvable') return { why: whyNoApproval(found, it['for'] ?? '') };
  return { order: viewOf(found.order), seen: String(found.order.version) };
}

async function approved({ operator }: Acting, it: Given, shown: Shown): Promise<Ended> {
  const { order: key = '', for: decider = '', gatewayOrderId: id } = it;
  const seen = it['seen'] ?? shown.seen;
  if (seen === undefined) return { done: false, text: 'look at the order first', value: { outcome: 'not-seen' } };
  const its = { decider, seenVersion: Number(seen), gatewayOrderId: id };
  const approval = await operator.approveRelease(key, its);
  if (approval.kind !== 'approved') {
    const why = whyNoApproval(approval, decider);
    return { done: false, text: why, value: { outcome: approval.kind, why } };
  }
  const until = new Date(approval.untilMs).toISOString();
  const text = `approved until ${until}, for ${decider} and for the order as it is now; they say beside their release:`;
  return {
    done: true,
    text,
    word: `--approval ${approval.token}`,
    value: { outcome: 'approved', until, approval: approval.token },
  };
}

/** No digest: the decision itself then says why there is nothing to decide. */
const notShown = '-'.repeat(16);

async function released({ operator }: Acting, it: Given, looked: Shown): Promise<Ended> {
  const { order: key = '', as, reason: why = '', gatewayOrderId: id, approval, force } = it;
  const shown = it['seen'] ?? looked.seen;
  if (shown === undefined) {
    const text = `add --seen, as \`${tool} order ${shellWord(key)}\` prints it: a decision is about what was shown`;
    return { done: false, text, value: { outcome: 'not-seen' } };
  }
  const decision = {
    as: as === 'paid' ? 'paid' : 'not-paid',
    reason: why,
    seen: { shown },
    evenUnanswered: force === 'true',
    gatewayOrderId: id,
    approval,
  } as const;
  return operatedEnd(await operator.decide(key, decision));
}

/** The decision about an order as it is shown now, dry. */
async function decidedDry(run: typeof released, desk: OperatorDesk, it: Given): Promise<Shown> {
  const found = await desk.operator.order(it['order'] ?? '');
  const seen = found.kind === 'found' ? found.view.seen : undefined;
  const ended = await run({ ...desk, operator: desk.dry }, it, { seen: seen ?? notShown });
  const { done, text, order: after, value } = ended;
  // The act is done all the same: by it the gateway is asked.
  const says = 'outcome' in value && value.outcome === 'asking' ? { text } : { why: text };
  return { order: after, ...(!done && says), seen };
}

async function cancelled(
  { operator }: Acting,
  { order: key, batch, reason: why = '', seen: typed }: Given,
  looked: Shown,
): Promise<Ended> {
  if (key !== undefined) {
    const names = namesOfKey(key);
    checkNames(names);
    const seen = typed ?? looked.seen;
    return operatedEnd(await operator.cancel({ ...names, reason: why, seen }));
  }
  const isUnknown = await operator.cancelBatch(batch ?? '', why);
  const doubt = isUnknown ? '; no file was registered as that batch: is that its id?' : '';
  const text = `batch ${batch}: what is not claimed yet will not be sent${doubt}`;
  return { done: true, text, value: { batch, cancelled: true, registered: !isUnknown } };
}

/** The beginning of a day (UTC), as it is named or so many days ago; epoch ms. */
function dayMs(text: string, nowMs: number): number {
  const [, daysAgo] = /^([1-9]\d{0,4})d$/.exec(text) ?? [];
  const today = new Date(nowMs).toISOString().slice(0, 10);
  const ms = Date.parse(`${daysAgo === undefined ? text : today}T00:00:00Z`) - Number(daysAgo ?? 0) * 86_400_000;
  if (Number.isNaN(ms)) throw new UsageError('--ended-before must be a day such as 2025-10-01, or 400d for days ago');
  return ms;
}

async function erased({ operator }: Acting, { order: key, endedBefore = '' }: Given): Promise<Ended> {
  if (key !== undefined) {
    const it = await operator.erase(key);
    const texts = {
      erased: 'texts and context are erased; what prevents a second payment stays',
      bare: 'holds no texts and no context',
      'not-found': 'the ledger has no such order',
      refused: `not erased: ${it.kind === 'refused' ? it.why : ''}`,
    };
    const value = { outcome: it.kind, why: it.kind === 'refused' ? it.why : undefined };
    return { done: it.kind === 'erased' || it.kind === 'bare', text: `${key}: ${texts[it.kind]}`, value };
  }
  const beforeMs = dayMs(endedBefore, operator.nowMs());
  const day = new Date(beforeMs).toISOString().slice(0, 10);
  const value = await operator.eraseEnded(beforeMs);
  const text = `${value.erased} orders that ended before ${day} hold no texts any more; ${value.refused} were not erased, of ${value.read}`;
  return { done: value.refused === 0, text, value };
}

/** A retry reads a file and makes a batch: the console lets the command itself do it, and reads what that prints. */
const retryWords = ({ batch = '', file, accept }: Given): string[] => [
  'retry',
  batch,
  ...(file === undefined ? [] : [file]),
  ...(accept === undefined ? [] : ['--accept', 'all']),
];

const dryRunSchema = v.object({
  written: v.number(),
  totals: v.array(v.object({ amount: v.string(), currency: v.string() })),
  reasons: v.array(v.object({ code: v.string(), payments: v.number() })),
  kept: v.record(v.string(), v.number()),
  left: v.number(),
  leftFile: v.exactOptional(v.string()),
});

/** The rows that a retry would send, by its dry run; or why there are none. */
function shownRetry({ stdout, stderr }: CommandEnd): Shown {
  const [first = ''] = stdout.split('\n', 1);
  if (first === '') return { why: stderr.trim() };
  const { written, totals, reasons, kept, left, leftFile } = v.parse(dryRunSchema, JSON.parse(first));
  const money = totals.map(({ amount, currency }) => `${amount} ${currency}`).join(' and ');
  const others = Object.entries(kept).map(([state, count]) => `${count} ${state}`);
  const lines = [
    written > 0 && `${counted(written, 'row')} proven unpaid, ${money}:`,
    ...reasons.map(({ code, payments }) => `  ${payments} ${code}`),
    others.length > 0 && `not retried: ${others.join(', ')}`,
    left > 0 && `${counted(left, 'unpaid row')} can not be written: ${leftFile}`,
  ].filter((line) => line !== false);
  return written > 0 ? { text: lines.join('\n') } : { why: ['nothing to retry', ...lines].join('; ') };
}

async function retried({ runCommand }: Pick<OperatorDesk, 'runCommand'>, it: Given): Promise<Ended> {
  if (!runCommand) throw new UsageError('its command does it');
  const { code, stdout, stderr } = await runCommand([...retryWords(it), it['hold'] === undefined ? '--yes' : '--hold']);
  const said = stdout.trim().split('\n\n').at(-1)?.trim();
  return { done: code === 0, text: said || stderr.trim(), value: { code } };
}

/** Handed to the command line, where what begins with a dash is an option. */
const noDash = { shape: /^[^-]/, form: 'must not begin with a dash' };

/** Each act. */
export const acts = {
  release: {
    command: 'release',
    title: 'Decide about a held or doubtful order',
    on: ['order'],
    fields: {
      order,
      as: {
        label: 'What did you find in the gateway’s back office?',
        flag: '--as',
        choices: { paid: 'It was paid', 'not-paid': 'It was not paid: it can then be sent again by name' },
      },
      reason,
      gatewayOrderId,
      approval: {
        label: 'Approval token, only if two persons must decide',
        flag: '--approval',
        optional: true,
        shape: /^[A-Za-z0-9_-]{1,2000}$/,
      },
      force: {
        label: 'Even if the gateway gives no answer',
        flag: '--force',
        optional: true,
        isSwitch: true,
      },
      seen: shownField,
    },
    effect: ({ as }) =>
      as === 'paid'
        ? 'The order ends as paid, and is never sent again. Where the gateway can be asked, it is asked first.'
        : as === 'not-paid'
          ? 'The order ends as not paid. A job that names this end may then send it again: if it was paid after all, it is paid twice. Where the gateway can be asked, it is asked first.'
          : 'The order ends as paid and is never sent again, or as not paid: a job that names that end may then send it again. Where the gateway can be asked, it is asked first.',
    preview: (desk, it) => decidedDry(released, desk, it),
    run: released,
  },
  approve: {
    command: 'approve',
    hasOwnCommand: true,
    title: 'Approve, as second person, that an order was not paid',
    on: ['order'],
    fields: {
      order,
      for: {
        label: 'ARN of the person who decides',
        flag: '--for',
        shape: /^arn:[^:]*:(iam|sts)::\d*:/,
        form: `must be the ARN that \`${tool} release\` printed`,
      },
      gatewayOrderId: { ...gatewayOrderId, label: 'The gateway’s order id, where their decision names it' },
      seen: { ...seenField, shape: /^\d{1,15}$/ },
    },
    effect: ({ for: decider = 'the person who decides' }) =>
      `You confirm, with ${decider}, that none of it was paid; it can then be paid again. The approval holds for one day, this person and the order as it is.`,
    question: () => 'Was none of it paid?',
    preview: approvable,
    run: approved,
  },
  cancel: {
    command: 'cancel',
    title: 'Cancel an order that was not sent, or all unsent orders of a batch',
    on: ['order', 'batch'],
    fields: {
      order: maybe(order),
      batch: { label: 'Batch', flag: '--batch', optional: true },
      reason,
      seen: shownField,
    },
    oneOf: ['order', 'batch'],
    effect: ({ order: key, batch }) =>
      batch === undefined
        ? `${key ?? 'The order'} is called off if it was not sent yet. It is never sent under this id.`
        : 'Unsent payouts of the batch are cancelled, with a result each. Payouts that were sent go on.',
    preview: async (desk, it) => (it['order'] === undefined ? {} : decidedDry(cancelled, desk, it)),
    run: cancelled,
  },
  pause: {
    command: 'pause',
    title: 'Pause a merchant, one endpoint of it, or every merchant',
    on: ['lane', 'everywhere'],
    fields: {
      merchant: { ...maybe(merchant), label: 'Merchant; every merchant where it is left empty' },
      endpoint: { label: 'Endpoint id; all of them where it is left empty', flag: '--endpoint', optional: true },
      reason: maybe(reason),
    },
    effect: ({ merchant: name, endpoint }) =>
      endpoint === undefined
        ? `Nothing new is sent for ${name ?? 'ANY merchant'} within five seconds. Jobs wait and lose nothing.`
        : 'Nothing new is sent at this endpoint within ten seconds. Jobs wait and lose nothing.',
    question: ({ merchant: name }) => (name === undefined ? 'Pause every merchant?' : undefined),
    run: ({ operator }, it) => paused(operator, it),
  },
  resume: {
    command: 'resume',
    title: 'Resume a merchant, one endpoint of it, or every merchant',
    on: ['lane', 'everywhere'],
    fields: {
      merchant: { ...maybe(merchant), label: 'Merchant; the pause of all merchants where it is left empty' },
      endpoint: { label: 'Endpoint id; all of them where it is left empty', flag: '--endpoint', optional: true },
      reason: maybe(reason),
    },
    effect: ({ merchant: name }) =>
      name === undefined
        ? 'The pause of all merchants ends. A merchant that was paused by its own name stays paused.'
        : 'It may send again, after a pause as after the brake. Waiting jobs go within two minutes, at its pace.',
    preview: closedLanes,
    question: (_it, { text }) => (text === undefined ? undefined : 'Open them too?'),
    run: ({ operator }, it) => resumed(operator, it),
  },
  'begin-ledger': {
    command: 'ledger begin',
    title:
      "Confirm the present tables as the worker's: on the first day, or after a table beside the ledger was replaced",
    on: ['everywhere'],
    fields: {
      table: {
        label: "The ledger's table: type its name",
        shape: /^[A-Za-z0-9_.-]{3,255}$/,
        form: 'must be the name of a table',
      },
    },
    effect: () => 'The worker sends by these tables and no others. A payment that they do not know may be made again.',
    question: () => 'Do these tables know every payment that was made?',
    run: async ({ operator }, { table = '' }) => {
      const begun = await operator.beginLedger(table);
      const { kind: outcome } = begun;
      if (begun.kind === 'refused') return { done: false, text: begun.why, value: { outcome, why: begun.why } };
      return { done: true, text: begun.text, value: { outcome, table } };
    },
  },
  probe: {
    command: 'lanes probe',
    title: 'Probe a closed lane now',
    on: ['lane'],
    fields: {
      merchant,
      endpoint: { label: 'Endpoint id; all of them where it is left empty', flag: '--endpoint', optional: true },
      reason: maybe(reason),
    },
    effect: () => 'The next order of the closed lane is sent as a probe; if it is taken, the lane opens.',
    run: probed,
  },
  redrive: {
    command: 'dlq redrive',
    title: 'Send again the dead letters that the plan moves',
    on: ['letter'],
    fields: {
      ...choosing,
      message,
      all: { label: 'Every dead letter', flag: '--all', optional: true, isSwitch: true, isTyped: true },
    },
    effect: () => 'The dead letters that the plan moves go back to the queue of jobs, as new messages.',
    whose: merchantsOf,
    question: (_it, shown) => `Redrive ${letters(shown, true)}?`,
    isWalk: true,
    preview: async (desk, it) => {
      if (Object.values(it).every((value) => value === undefined))
        throw new UsageError('choose some: --all, or --order, --batch, --merchant, --code, --message, --search');
      return planned(desk, it);
    },
    run: redriven,
  },
  discard: {
    command: 'dlq discard',
    title: 'Discard dead letters, after a result of each is published',
    on: ['letter'],
    fields: { order: { ...choosing.order, label: order.label }, message, reason },
    oneOf: ['order', 'message'],
    effect: () =>
      'An order that was never sent ends unsent, and its sender gets a result first. An order that may have been sent stays as it is.',
    whose: merchantsOf,
    question: (_it, shown) => `Discard ${letters(shown, false)}?`,
    isWalk: true,
    preview: planned,
    run: discarded,
  },
  retry: {
    command: 'retry',
    title: 'Send again the payouts of a batch that are proven unpaid',
    on: ['batch'],
    fields: {
      batch: { label: 'Batch', ...noDash },
      file: {
        label: 'File of the batch on this machine; without it the rows come from its dead letters',
        optional: true,
        ...noDash,
      },
      hold: {
        label: 'Register it for a second person to approve',
        flag: '--hold',
        optional: true,
        isSwitch: true,
      },
      accept: {
        label: 'Confirm the warnings',
        flag: '--accept all',
        optional: true,
        isSwitch: true,
      },
    },
    hasOwnCommand: true,
    effect: ({ hold }) =>
      hold === undefined
        ? 'The unpaid rows are sent again as a new batch, each under its own order id.'
        : 'The unpaid rows are registered as a new batch. It is sent after a second person has approved it.',
    preview: async ({ runCommand, operator }, it) => {
      if (!runCommand) return {};
      const merchantOfAll = await operator.merchantOfBatch(it['batch'] ?? '');
      const shown = shownRetry(await runCommand([...retryWords(it), '--dry-run', '--json']));
      return { ...shown, ...(merchantOfAll !== undefined && { merchants: [merchantOfAll] }) };
    },
    run: retried,
  },
  erase: {
    command: 'erase',
    title: 'Erase the texts and the context of an order that has ended, or of all that ended before a day',
    on: ['order'],
    fields: {
      order: maybe(order),
      endedBefore: {
        label: 'Every order that ended before this day (UTC), or so many days ago',
        flag: '--ended-before',
        optional: true,
        shape: /^(\d{4}-\d\d-\d\d|[1-9]\d{0,4}d)$/,
        form: 'must be a day such as 2025-10-01, or 400d for days ago',
      },
    },
    oneOf: ['order', 'endedBefore'],
    effect: () =>
      'Its texts and its context are gone for good, and its result is published without them. What prevents a second payment stays.',
    question: ({ endedBefore }) =>
      endedBefore === undefined
        ? undefined
        : `Erase texts and context of every order that ended before ${endedBefore}?`,
    help: `\nExample, by a timer of yours, each night or month:\n  ${tool} erase --ended-before 400d --yes`,
    run: erased,
  },
  ...merchantActs,
} as const satisfies Readonly<Record<string, Act>>;

/** The name of an act. */
export type ActName = keyof typeof acts;

/** An act by its name, as any act. */
export const actOf = (name: ActName): Act => acts[name];

/** The names. */
export const actNames = Object.keys(acts) as ActName[];
