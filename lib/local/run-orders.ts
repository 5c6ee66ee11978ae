// The orders of a local run: as the ledger has them, and why those wait that have no end.
import { readFile } from 'node:fs/promises';
import { newDynamoDbClient, tablesOf } from '../aws/dynamodb-table.ts';
import { systemClock } from '../aws/system.ts';
import type { Payment } from '../operate/verdict.ts';
import { defaultLimits } from '../payout/limits.ts';
import { meaningOfCode } from '../payout/message/failures.ts';
import type { Job } from '../payout/message/job.ts';
import { orderKey } from '../payout/order/order.ts';
import { type OrderView, viewOf } from '../payout/order/projection.ts';
import { standings } from '../payout/order/standing.ts';
import type { LaneView } from '../payout/pace/lane-view.ts';
import { tableOrders } from '../restore/dynamodb-known-tables.ts';
import type { EmbeddedAws } from './embedded-aws.ts';
import { clientConfigOf } from './local-environment.ts';
import { localCalls } from './local-limits.ts';

const readsAtOnce = 16;

/** The orders of these jobs, by key. */
export async function ledgerOf(aws: EmbeddedAws, jobs: readonly Job[]): Promise<ReadonlyMap<string, OrderView>> {
  const client = newDynamoDbClient(localCalls, clientConfigOf(aws, 'DYNAMODB'));
  const orders = tableOrders(tablesOf({ ...aws, limits: defaultLimits }, client, systemClock).ledger);
  const keys = [...new Set(jobs.map(orderKey))];
  const found = new Map<string, OrderView>();
  const next = keys[Symbol.iterator]();
  const read = async () => {
    for (const key of next) {
      const order = await orders.read(key);
      if (order.kind === 'found') found.set(key, viewOf(order.order));
    }
  };
  try {
    await Promise.all(Array.from({ length: readsAtOnce }, read));
    return found;
  } finally {
    client.destroy();
  }
}

/** The last failure code of each order in the worker's log, by the order's key. */
export async function failureCodesIn(logFile: string): Promise<ReadonlyMap<string, string>> {
  const codes = new Map<string, string>();
  for (const line of (await readFile(logFile, 'utf8')).split('\n')) {
    // A worker's last words may be cut, or no JSON.
    if (!/^\{.*"event":"(job|check)".*\}$/.test(line)) continue;
    const { merchant, orderId, failureCode } = JSON.parse(line) as Readonly<Record<string, string | undefined>>;
    const key = `${merchant}/${orderId}`;
    if (failureCode === undefined) codes.delete(key);
    else codes.set(key, failureCode);
  }
  return codes;
}

/** What is known beside the jobs. */
interface WaitEvidence {
  readonly orders: ReadonlyMap<string, OrderView>;
  /** The failure code that the log has of an order, by its key. */
  readonly codes: ReadonlyMap<string, string>;
  readonly lanes: readonly LaneView[];
  /** A message is left on a queue, or a job in the table. */
  readonly isAnyLeft: boolean;
}

/** Why orders wait that the ledger does not have, or has without an end. While nothing is left, no job without an order waits: it is lost. */
export function waitsOf(
  jobs: readonly Job[],
  { orders, codes, lanes, isAnyLeft }: WaitEvidence,
): Map<string, Pick<Payment, 'failure' | 'remedy'>> {
  const waits = new Map<string, Pick<Payment, 'failure' | 'remedy'>>();
  for (const job of jobs) {
    const key = orderKey(job);
    const order = orders.get(key);
    if (order ? standings[order.standing].isFinal || order.failure : !isAnyLeft) continue;
    const code = codes.get(key);
    waits.set(key, code === undefined ? laneOf(job, lanes) : { failure: { code, message: meaningOfCode(code) } });
  }
  return waits;
}

/** A lane that does not go: what the jobs behind it wait for. */
function laneOf({ merchant, endpointId }: Job, lanes: readonly LaneView[]): Pick<Payment, 'failure' | 'remedy'> {
  const lane = lanes.find((it) => it.merchant === merchant && it.endpointId === endpointId);
  if (!lane || lane.condition === 'open' || lane.condition === 'slowed') return {};
  const { condition, reason, code, remedy } = lane;
  const message = `the lane ${merchant} at ${endpointId} is ${condition}: ${reason}`;
  const failure = { code: 'LANE_CLOSED', message, gatewayCode: code };
  return { failure, remedy: remedy && `${remedy.charAt(0).toUpperCase()}${remedy.slice(1)}.` };
}
