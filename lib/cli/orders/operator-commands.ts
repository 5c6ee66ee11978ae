// The operator's port as the tool makes it, `payouts order` and `payouts lanes`.
import { systemClock } from '../../aws/system.ts';
import { createSecondPerson } from '../../batches/decision-approval.ts';
import { createOperator, type Operator } from '../../operate/operator.ts';
import type { OperatorDesk } from '../../operate/act.ts';
import { dryPorts, glancingPorts } from '../../operate/dry-ports.ts';
import { notDone, type OperatorOptions, say } from '../command-line.ts';
import { type Standing, standings } from '../../payout/order/standing.ts';
import { lanesAsText } from '../lanes/lane-text.ts';
import { createDeadLetterPorts } from '../dead-letters/dlq-ports.ts';
import { toolPorts, whoDecides } from '../tool-ports.ts';
import { amountFields } from '../../gateway/money.ts';
import { part } from '../../console/part.ts';
import { lettersOfOrderAsText, orderAsJson, orderAsText, waitingAsJson, waitingAsText } from './order-text.ts';

/** The operator's port, in the name of the caller; and the same, dry. */
export function desk(): OperatorDesk {
  const its = toolPorts();
  const ports = {
    ...its,
    controlsAdmin: its.controls,
    secondPerson: createSecondPerson({ ...its, store: its.safeguards }),
    approving: its,
    ledger: its,
    redrives: createDeadLetterPorts(its.config),
    whoAmI: whoDecides,
  };
  const [dry, glance] = [createOperator(dryPorts(ports)), createOperator(glancingPorts(ports))];
  return { operator: createOperator(ports), dry, glance, merchants: its };
}

/** The port alone. */
export const operator = (): Operator => desk().operator;

/** `payouts order`: the life of one order. */
export async function showOrder(order: string, options: OperatorOptions): Promise<number> {
  const it = operator();
  const [found, waiting] = await Promise.all([it.order(order), part(() => it.waitingOf(order))]);
  // Not everybody who may read orders may read these.
  const rows = waiting.kind === 'found' ? waiting.value : [];
  const waits =
    waiting.kind === 'found' ? rows.length > 0 && { waiting: rows.map(waitingAsJson) } : { waiting: 'not read' };
  const lines =
    waiting.kind === 'found'
      ? waitingAsText(rows, systemClock.nowMs())
      : `  whether more of it waits could not be read: ${waiting.why}\n`;
  if (found.kind === 'found') {
    const { view } = found;
    return say(options, { found: true, order: orderAsJson(view), ...waits }, orderAsText(view) + lines);
  }
  if (found.kind === 'unreadable')
    return notDone(
      options,
      { found: true, standing: 'unreadable', unreadable: found.reason },
      `${order}: ${found.reason}`,
    );
  // Its turn has not come yet.
  if (rows.length > 0)
    return say(options, { found: false, standing: 'waiting', ...waits }, withoutOrder(order, 'waiting') + lines);
  const letters = await deadLettersOf(it, order);
  if (letters.found.length === 0)
    return notDone(
      options,
      { found: false, ...waits },
      `there is no order ${order}, and no message of it\n${lines}${letters.text}`.trimEnd(),
    );
  const dead = { found: false, standing: 'dead-letter', deadLetters: letters.found };
  say(options, dead, withoutOrder(order, 'dead-letter') + letters.text);
  return 1;
}

/** `payouts lanes`: every lane, the stopped ones first. */
export async function showLanes(options: OperatorOptions): Promise<number> {
  const views = await operator().lanes();
  return say(options, views, lanesAsText(views, systemClock.nowMs()));
}

const withoutOrder = (order: string, standing: Standing) =>
  `${order} · ${standing}\n  ${standings[standing].meaning}\n`;

/** Dead letters of an order that no worker has claimed; not everybody who may read orders may read these. */
export async function deadLettersOf(it: Pick<Operator, 'deadLettersOf'>, key: string) {
  const letters = await part(() => it.deadLettersOf(key));
  return letters.kind === 'found'
    ? {
        found: letters.value.map(({ money, ...letter }) => ({ ...letter, ...(money && amountFields(money)) })),
        text: lettersOfOrderAsText(letters.value),
      }
    : { found: [], text: `  whether a dead letter has it could not be read: ${letters.why}\n` };
}
