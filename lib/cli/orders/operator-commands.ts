// The operator's commands on orders and merchants. Exit codes: 0 done, 1 it could not be done as asked, 2 bad input.
import { systemClock } from '../../aws/system.ts';
import type { Operated } from '../../payout/operate/decide.ts';
import { couldBear } from '../../payout/message/job.ts';
import { namesOfKey } from '../../payout/order/order.ts';
import { viewOf } from '../../payout/order/view.ts';
import { requireSomebody, saysYes } from '../asking.ts';
import { createSecondPerson } from '../../batches/decision-approval.ts';
import { createOperator, type Operator } from '../../client/operator.ts';
import { createDeadLetterPorts } from '../dead-letters/dlq-ports.ts';
import { approveAsked, type ApproverOptions, requireApprover, requireArn, whyNoApproval } from './approve-decision.ts';
import { waitsOfOrder } from './waits-of-order.ts';
import { heldAsText, orderAsJson, orderAsText, waitingAsJson } from './order-text.ts';
import { shellWord, tool } from '../../payout/operate/spelling.ts';
import { declined, keyOf, type OperatorOptions, partsOf, notDone, say, why } from '../command-line.ts';
import { tellMoney, type Whose } from '../live-money.ts';
import { toolPorts, whoDecides } from '../tool-ports.ts';
import { UsageError } from '../usage-error.ts';

/** Options of `payouts release`. */
interface ReleaseOptions extends OperatorOptions {
  readonly as: 'paid' | 'not-paid';
  readonly id?: string;
  readonly evenUnanswered: boolean;
  /** The token that an approver printed. */
  readonly approval?: string;
}

/** The command line of `payouts approve-release`. */
interface ApproveReleaseOptions extends ApproverOptions {
  readonly id?: string;
}

/** Options of `payouts pause` and `payouts resume`. */
interface PauseOptions extends OperatorOptions {
  /** Pause every merchant without being asked. */
  readonly yes?: boolean;
}

/** Options of `payouts cancel`. */
interface CancelOptions extends OperatorOptions {
  readonly batch?: string;
}

/** The operator's port, in the name of the caller. */
export function operator(): Operator {
  const its = toolPorts();
  return createOperator({
    ...its,
    controlsAdmin: its.controls,
    secondPerson: createSecondPerson({ ...its, store: its.safeguards }),
    approving: its,
    redrives: createDeadLetterPorts(its.config),
    whoAmI: whoDecides,
  });
}

/** `payouts order`: the life of one order. */
export async function showOrder(order: string, options: OperatorOptions): Promise<number> {
  const key = keyOf(partsOf(order));
  const it = operator();
  const [found, { rows, lines }] = await Promise.all([it.order(key), waitsOfOrder(it, key, systemClock.nowMs())]);
  const waits = {
    ...(rows === 'not read' ? { waiting: rows } : rows.length > 0 && { waiting: rows.map(waitingAsJson) }),
  };
  if (found.kind === 'found') {
    const view = viewOf(found.order);
    return say(options, { found: true, order: orderAsJson(view), ...waits }, orderAsText(view) + lines);
  }
  const isWaiting = rows !== 'not read' && rows.length > 0;
  const text = found.kind === 'unreadable' ? `${order}: ${found.reason}` : neverClaimed(order, isWaiting);
  const unreadable = found.kind === 'unreadable' && { unreadable: found.reason };
  say(options, { found: found.kind === 'unreadable', ...unreadable, ...waits }, `${text}\n${lines}`);
  // The order exists and nothing is wrong with it: its turn has not come yet.
  return found.kind === 'none' && isWaiting ? 0 : 1;
}

const neverClaimed = (order: string, waits: boolean) =>
  `the ledger has no order ${order}; it was never claimed${waits ? ', and waits' : ''}`;

/** `payouts hold list`: orders that wait for a person, and those accepted for too long; the oldest first. */
export async function listHeld(options: OperatorOptions): Promise<number> {
  const held = await operator().held();
  return say(options, held.map(orderAsJson), heldAsText(held));
}

/** `payouts release`: ends a held order as paid or not paid. */
export async function release(order: string, options: ReleaseOptions): Promise<number> {
  const { as, id, evenUnanswered, approval } = options;
  if (id !== undefined && !/^[A-Za-z0-9_-]{1,40}$/.test(id))
    throw new UsageError('--id must be the gateway\'s order id: 1 to 40 letters, digits, "-" or "_"');
  const key = keyOf(partsOf(order));
  const reason = why(options);
  await tellMoneyOf([namesOfKey(key).merchant]);
  const decision = { as, evenUnanswered, reason, ...(id && { gatewayOrderId: id }), ...(approval && { approval }) };
  return report(await operator().decide(key, decision), { ...options, as });
}

/** `payouts approve-release`: an approver says beside who decides that an order is not paid. */
export async function approveRelease(name: string, options: ApproveReleaseOptions): Promise<number> {
  requireApprover(options);
  const names = partsOf(name);
  const key = keyOf(names);
  requireArn(options, 'payouts release');
  await tellMoneyOf([names.merchant]);
  const { id: gatewayOrderId, for: decider } = options;
  const port = operator();
  const found = await port.approvable(key, gatewayOrderId);
  if (found.kind !== 'approvable') {
    const why = whyNoApproval(found, decider);
    return notDone(options, { outcome: found.kind, why }, why);
  }
  const its = {
    decider,
    seenVersion: found.order.version,
    ...(gatewayOrderId !== undefined && { gatewayOrderId }),
  };
  return approveAsked(options, {
    shown: `${orderAsText(viewOf(found.order))}\n  ${decider} is about to say that it is not paid; then it can be paid again`,
    question: 'Was none of it paid?',
    holdsFor: ' and for the order as it is now',
    saidBeside: 'release',
    approve: () => port.approveRelease(key, its),
  });
}

/** `payouts cancel`: an order that is not claimed yet, or every such order of a batch. */
export async function cancel(order: string | undefined, options: CancelOptions): Promise<number> {
  const reason = why(options);
  const { batch } = options;
  if ((order === undefined) === (batch === undefined)) throw new UsageError('name either an order or --batch');
  if (batch !== undefined) return cancelBatch(batch, reason, options);
  const names = partsOf(order ?? '');
  if (!couldBear(names)) throw new UsageError(`no job could bear the name "${order}"`);
  await tellMoneyOf([names.merchant]);
  return report(await operator().cancel({ ...names, reason }), options);
}

/** A person who mistypes an id must not believe that their batch is called off. */
export const unregistered = 'no file was registered as that batch: is that its id?';

async function cancelBatch(batchId: string, reason: string, options: OperatorOptions): Promise<number> {
  if (!couldBear({ batchId })) throw new UsageError(`no job could bear the batch id "${batchId}"`);
  await tellMoneyOf('every merchant');
  const isUnknown = await operator().cancelBatch(batchId, reason);
  const doubt = isUnknown ? `; ${unregistered}` : '';
  const text = `batch ${batchId}, of every merchant: what is not claimed yet will not be sent, and the result of each job says so${doubt}`;
  return say(options, { batch: batchId, cancelled: true, registered: !isUnknown }, text);
}

/** Says whose money a command is about to touch, which names no plan and no file. */
export const tellMoneyOf = (whose: Whose): Promise<void> => tellMoney(whose, toolPorts().credentials);

/** Pauses a merchant (or all), or ends it; a merchant without a secret is left alone, and reported. */
export async function setPause(
  merchant: string | undefined,
  paused: boolean,
  options: OperatorOptions,
): Promise<'done' | 'merchant-unknown'> {
  if (await operator().pause(merchant, paused, options.reason ?? '')) return 'done';
  const outcome = 'merchant-unknown';
  say(options, { merchant, outcome }, `there is no secret for a merchant "${merchant}"; nothing was changed`);
  return outcome;
}

/** `payouts pause` and `payouts resume`: no new POST of a merchant (or of all) within seconds; jobs wait. */
export async function pause(merchant: string | undefined, paused: boolean, options: PauseOptions): Promise<number> {
  const asks = paused && merchant === undefined && !options.yes;
  if (asks) requireSomebody('say --yes to pause every merchant, or name one');
  await tellMoneyOf(merchant === undefined ? 'every merchant' : [merchant]);
  if (asks && !(await saysYes('Pause every merchant?'))) return declined('nothing was changed');
  if ((await setPause(merchant, paused, options)) !== 'done') return 1;
  if (paused) {
    const text = `${merchant ?? 'all merchants'}: paused; nothing new is sent within 5 seconds, jobs wait, what was sent is asked about`;
    return say(options, { merchant: merchant ?? null, paused }, text);
  }
  const stillPaused = await stillPausedAfter(merchant);
  return say(options, { merchant: merchant ?? null, paused, stillPaused }, resumedText(merchant, stillPaused));
}

/** The pauses that stay: for one merchant, that of all; for all, the merchants with lanes that are paused by name. */
async function stillPausedAfter(merchant: string | undefined): Promise<readonly string[]> {
  const { controls, lanes } = toolPorts();
  if (merchant !== undefined) return (await controls.pauseOf(undefined)) ? ['all merchants'] : [];
  const names = [...new Set((await lanes.all()).map((lane) => lane.merchant))].toSorted();
  const pauses = await Promise.all(names.map((name) => controls.pauseOf(name)));
  return names.filter((_, at) => pauses[at] !== undefined);
}

function resumedText(merchant: string | undefined, stillPaused: readonly string[]): string {
  if (merchant === undefined)
    return stillPaused.length === 0
      ? 'resumed all merchants; one that was paused by its own name stays paused'
      : `resumed all merchants, except those paused individually: ${stillPaused.join(', ')}`;
  return stillPaused.length === 0
    ? `${merchant}: resumed`
    : `${merchant}: not paused by its own name any more, and stays paused with all merchants: \`${tool} resume\``;
}

function report(operated: Operated, options: OperatorOptions & Partial<Pick<ReleaseOptions, 'as'>>): number {
  const { kind } = operated;
  if (kind === 'done' || kind === 'answered' || kind === 'beforehand') {
    const entry = viewOf(operated.order);
    const isPublished = kind === 'beforehand' || operated.told;
    const notPublished = isPublished
      ? ''
      : '      The results queue did not take its result; it is published within a few minutes.\n';
    const first = kind === 'answered' ? "The gateway's own answer was taken instead.\n\n" : '';
    return say(
      options,
      { outcome: kind, told: isPublished, order: orderAsJson(entry) },
      `${first}${orderAsText(entry)}${notPublished}`,
    );
  }
  const { kind: outcome, ...details } = operated;
  return notDone(options, { outcome, ...details }, sentenceOf(operated, options.as));
}

/** Why nothing was decided. */
export function sentenceOf(
  operated: Exclude<Operated, { kind: 'done' | 'answered' | 'beforehand' }>,
  as?: ReleaseOptions['as'],
): string {
  switch (operated.kind) {
    case 'not-found':
      return 'the ledger has no such order';
    case 'refused':
      return operated.why;
    case 'needs-approver':
      return `two persons say that an order of this merchant is not paid: an approver looks at it and runs \`${tool} approve-release ${shellWord(operated.key)} --for ${shellWord(operated.decider)}\`; then say the same again with the --approval that it prints`;
    case 'contradicted':
      return as === 'paid'
        ? `the gateway was asked and says ${operated.status}; while it does, the order is not released as paid`
        : `the gateway has the order (${operated.status}); releasing it as not paid could pay it twice`;
    case 'unanswered':
      return `the gateway was asked and gave no clear answer (${operated.why}); ask again later, or say --even-unanswered`;
  }
}
