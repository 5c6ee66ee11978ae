// The states of orders without a result: the ledger's first, and where an order never came there, the
// last line of the worker's log about it.
import { ledgerTable, newDynamoDbClient } from '../aws/dynamodb-table.ts';
import { systemClock } from '../aws/system.ts';
import { meaningOfCode } from '../payout/message/failures.ts';
import type { LaneName } from '../payout/pace/lane-state.ts';
import type { Job } from '../payout/message/job.ts';
import { orderKey } from '../payout/order/order.ts';
import type { Orders } from '../payout/order/orders.ts';
import { viewOf, resultOf } from '../payout/order/projection.ts';
import { defaultLimits } from '../payout/limits.ts';
import type { Result } from '../payout/message/result.ts';
import { tableOrders } from '../restore/dynamodb-restoration.ts';
import type { UnendedOrder } from './accounts.ts';
import type { EmbeddedAws } from './embedded-aws.ts';
import { clientConfigOf } from './local-environment.ts';
import { localCalls } from './local-limits.ts';
import type { Obstacles } from './stop-watch.ts';

/** Facts besides the ledger. */
interface UnendedEvidence {
  /** The failure code that the log has of an order; undefined for none. */
  readonly reasonOf: (order: string) => string | undefined;
  readonly obstacles: Obstacles;
}

/** The result that the ledger holds of an order; else why it has none yet. */
export async function standingOf(
  key: string,
  lane: LaneName | undefined,
  { reasonOf, obstacles }: UnendedEvidence,
  orders: Pick<Orders, 'read'>,
): Promise<{ readonly result: Result } | UnendedOrder> {
  const read = await orders.read(key);
  const entry = read.kind === 'found' ? viewOf(read.order) : undefined;
  const result = entry && resultOf(entry);
  if (result) return { result };
  if (entry?.state === 'submitting') {
    const message = 'the worker was stopped while it waited for the gateway';
    return { ending: 'in doubt', failure: { code: 'WORKER_LOST', message } };
  }
  const code = reasonOf(key);
  const failure = entry?.failure ?? (code === undefined ? undefined : { code, message: meaningOfCode(code) });
  return failure ? { ending: 'waiting', failure } : ((lane && obstacleOf(lane, obstacles)) ?? { ending: 'waiting' });
}

/** The orders without a result. */
interface Found {
  readonly standings: ReadonlyMap<string, UnendedOrder>;
  /** Results that the ledger holds and that did not reach their queue before the run ended. */
  readonly unpublished: readonly Result[];
}

/** Looks the orders of these jobs up. `isAnyLeft`: while no message is left, none of them waits; what has no result then is lost. */
export async function findUnended(
  aws: EmbeddedAws,
  jobs: readonly Job[],
  { isAnyLeft, ...evidence }: UnendedEvidence & { readonly isAnyLeft: boolean },
): Promise<Found> {
  const client = newDynamoDbClient(localCalls, clientConfigOf(aws, 'DYNAMODB'));
  const settings = { ledgerTableName: aws.ledgerTableName, limits: defaultLimits };
  const orders = tableOrders(ledgerTable(settings, client, systemClock));
  const standings = new Map<string, UnendedOrder>();
  const unpublished: Result[] = [];
  try {
    for (const job of jobs) {
      const standing = await standingOf(orderKey(job), job, evidence, orders);
      if ('result' in standing) unpublished.push(standing.result);
      else if (isAnyLeft || standing.ending === 'in doubt') standings.set(orderKey(job), standing);
    }
  } finally {
    client.destroy();
  }
  return { standings, unpublished };
}

/** A lane that does not go, or a merchant that was stopped: what the jobs behind it wait for. */
function obstacleOf({ merchant, endpointId }: LaneName, { stopped, lanes }: Obstacles): UnendedOrder | undefined {
  const lane = lanes.find((it) => it.merchant === merchant && it.endpointId === endpointId);
  if (stopped.includes(merchant)) {
    const message = `blocked: ${merchant} has more money in doubt than its doubtLimits allow`;
    const remedy = 'It goes on when the gateway has answered, or a person has released what is in doubt.';
    return { ending: 'waiting', failure: { code: 'STOPPED_ON_DOUBT', message }, remedy };
  }
  if (!lane || lane.condition === 'open' || lane.condition === 'slowed') return undefined;
  const { condition, reason, code, remedy } = lane;
  const message = `blocked: the lane ${merchant} at ${endpointId} is ${condition}: ${reason}`;
  const failure = { code: 'LANE_CLOSED', message, ...(code !== undefined && { gatewayCode: code }) };
  return { ending: 'waiting', failure, ...(remedy !== undefined && { remedy: `${sentence(remedy)}.` }) };
}

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
