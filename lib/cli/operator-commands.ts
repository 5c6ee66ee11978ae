// The operator's commands on orders and merchants. Exit codes: 0 done, 1 it could not be done as asked, 2 bad input.
import { userInfo } from 'node:os';
import { ConfigurationError, readWorkerConfig } from '../adapters/env-config.ts';
import { systemClock } from '../adapters/system.ts';
import { cancelOrder, type Operated, releaseOrder } from '../app/operate.ts';
import { createOperatorPorts } from '../composition.ts';
import type { LedgerEntry } from '../domain/ledger.ts';
import { type OperationName, operationNames } from '../domain/operations.ts';
import { orderAsJson, orderAsText } from './order-text.ts';
import { UsageError } from './usage-error.ts';

/** Options that several commands share. */
export interface OperatorOptions {
  readonly json: boolean;
  readonly by?: string;
  readonly reason?: string;
}

function ports() {
  try {
    return createOperatorPorts(readWorkerConfig());
  } catch (error) {
    if (error instanceof ConfigurationError) throw new UsageError(error.message);
    throw error;
  }
}

function say(text: string): void {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
}

/** `payouts order`: the life of one order. */
export async function showOrder(order: string, { json }: OperatorOptions): Promise<number> {
  const found = await ports().ledger.read(keyOf(order));
  if (!found) {
    say(json ? JSON.stringify({ found: false }) : `the ledger has no order ${order}; it was never claimed`);
    return 1;
  }
  if (found.kind === 'unreadable') {
    say(`${order} can't be read: ${found.reason}`);
    return 1;
  }
  say(json ? JSON.stringify(orderAsJson(found.entry)) : orderAsText(found.entry));
  return 0;
}

/** `payouts hold list`: orders that wait for a person, the oldest first. */
export async function listHeld({ json }: OperatorOptions): Promise<number> {
  const held: LedgerEntry[] = [];
  for await (const entry of ports().openWork.openWork('held', Number.MAX_SAFE_INTEGER)) held.push(entry);
  held.sort((a, b) => a.updatedAtMs - b.updatedAtMs);
  if (json) say(JSON.stringify(held.map(orderAsJson)));
  else say(held.length === 0 ? 'no order is held' : held.map(orderAsText).join('\n'));
  return 0;
}

/** `payouts release`: ends a held order as paid or not paid. */
export async function release(
  order: string,
  options: OperatorOptions & { readonly as: 'paid' | 'not-paid'; readonly id?: string },
): Promise<number> {
  const { as, id } = options;
  const it = { as, by: who(options), reason: why(options), ...(id !== undefined && { gatewayOrderId: id }) };
  return report(await releaseOrder(keyOf(order), it, ports()), options);
}

/** `payouts cancel`: an order that is not claimed yet, or every such order of a batch. */
export async function cancel(
  order: string | undefined,
  options: OperatorOptions & { readonly batch?: string; readonly operation: string },
): Promise<number> {
  const said = { by: who(options), reason: why(options) };
  if ((order === undefined) === (options.batch === undefined)) throw new UsageError('name either an order or --batch');
  if (options.batch !== undefined) {
    await ports().controlDesk.cancelBatch(options.batch, { ...said, atMs: systemClock.nowMs() });
    say(
      options.json
        ? JSON.stringify({ batch: options.batch, cancelled: true })
        : `batch ${options.batch}: what is not claimed yet will not be sent`,
    );
    return 0;
  }
  const { merchant, orderId } = partsOf(order ?? '');
  const operation = operationNames.find((name) => name === options.operation) satisfies OperationName | undefined;
  if (!operation) throw new UsageError(`--operation must be one of ${operationNames.join(', ')}`);
  return report(await cancelOrder({ operation, merchant, orderId, ...said }, ports()), options);
}

/** `payouts pause` and `payouts resume`: no new POST of a merchant (or of all) within seconds; jobs wait. */
export async function pause(merchant: string | undefined, paused: boolean, options: OperatorOptions): Promise<number> {
  const saying = { by: who(options), reason: options.reason ?? '', atMs: systemClock.nowMs() };
  await ports().controlDesk.pause(merchant, paused, saying);
  const whom = merchant ?? 'all merchants';
  say(
    options.json ? JSON.stringify({ merchant: merchant ?? null, paused }) : `${whom}: ${paused ? 'paused' : 'resumed'}`,
  );
  return 0;
}

function report(operated: Operated, { json }: OperatorOptions): number {
  if (operated.kind === 'done' || operated.kind === 'answered') {
    const { kind, entry, told } = operated;
    if (json) say(JSON.stringify({ outcome: kind, told, order: orderAsJson(entry) }));
    else {
      if (kind === 'answered') say("the gateway's own word was taken instead:");
      say(orderAsText(entry));
      if (!told) say('  the results queue did not take the result; the sweeper will tell it');
    }
    return 0;
  }
  if (json) say(JSON.stringify({ outcome: operated.kind, ...operated }));
  else say(sentenceOf(operated));
  return 1;
}

function sentenceOf(operated: Exclude<Operated, { kind: 'done' | 'answered' }>): string {
  switch (operated.kind) {
    case 'not-found':
      return 'the ledger has no such order';
    case 'refused':
      return operated.why;
    case 'contradicted':
      return `the gateway has the order (${operated.status}); releasing it as not paid could pay it twice`;
  }
}

const keyOf = (order: string) => {
  const { merchant, orderId } = partsOf(order);
  return `${merchant}/${orderId}`;
};

function partsOf(order: string): { merchant: string; orderId: string } {
  const slash = order.indexOf('/');
  if (slash < 1 || slash === order.length - 1)
    throw new UsageError(`write the order as <merchant>/<order id>, not "${order}"`);
  return { merchant: order.slice(0, slash), orderId: order.slice(slash + 1) };
}

const who = ({ by }: OperatorOptions) => by ?? userInfo().username;

function why({ reason }: OperatorOptions): string {
  if (!reason?.trim()) throw new UsageError("say why with --reason; it is kept in the order's history");
  return reason.trim();
}
