// What is left when a kill run ends, seen past all troubled services: the orders as the ledger has them, with the results
// that it knows to be untold, and the jobs that are still on a queue, in any condition, or in the table of what waits.
import { paginateScan } from '@aws-sdk/client-dynamodb';
import { newDynamoDbClient } from '../../lib/aws/dynamodb-table.ts';
import { createDynamoDbWaiting } from '../../lib/aws/dynamodb-waiting.ts';
import { orderOf } from '../../lib/aws/order-item.ts';
import type { EmbeddedAws } from '../../lib/local/embedded-aws.ts';
import { clientConfigOf } from '../../lib/local/local-environment.ts';
import { localCalls } from '../../lib/local/local-limits.ts';
import type { Job } from '../../lib/payout/message/job.ts';
import { type Order, orderKey } from '../../lib/payout/order/order.ts';
import { lastResult } from '../../lib/payout/order/record.ts';
import { type OrderView, viewOf } from '../../lib/payout/order/projection.ts';
import type { Result } from '../../lib/payout/message/result.ts';

/** What is left. */
export interface LeftOver {
  /** Every order of the ledger, by its key. */
  readonly orders: ReadonlyMap<string, OrderView>;
  /** Results that the ledger holds under their mark: the sweeper tells them. */
  readonly untold: readonly Result[];
  /** Keys of the orders of which a message is on a queue of jobs, or a row in the table of what waits. */
  readonly waiting: ReadonlySet<string>;
}

/** Looks. */
export async function leftOver(aws: EmbeddedAws): Promise<LeftOver> {
  const orders = await ordersIn(aws);
  return {
    orders: new Map(orders.map((order) => [order.key, viewOf(order)])),
    untold: orders.flatMap((order) => (order.unpublished ? (lastResult(order) ?? []) : [])),
    waiting: await waitingIn(aws),
  };
}

async function ordersIn(aws: EmbeddedAws): Promise<readonly Order[]> {
  const client = newDynamoDbClient(localCalls, clientConfigOf(aws, 'DYNAMODB'));
  try {
    const items = [];
    for await (const { Items = [] } of paginateScan({ client }, { TableName: aws.ledgerTableName }))
      items.push(...Items);
    // Lanes, caps and the words about messages have items of their own in the table, which are no orders.
    return items.map(orderOf).flatMap((read) => (read.kind === 'found' ? [read.order] : []));
  } finally {
    client.destroy();
  }
}

/** On the queues not by receiving: what is delayed or in flight counts too, and nothing is to be moved. */
async function waitingIn(aws: EmbeddedAws): Promise<ReadonlySet<string>> {
  const { environment, queueUrls } = aws;
  const keys = new Set<string>(await rowsIn(aws));
  for (const url of [queueUrls.jobs, queueUrls.batchJobs]) {
    const name = new URL(url).pathname.split('/').at(-1);
    const answer = await fetch(`${environment['AWS_ENDPOINT_URL_SQS']}/_fauxqs/queues/${name}`);
    const { messages } = (await answer.json()) as { messages: Seen };
    const bodies = [...messages.ready, ...messages.delayed, ...messages.inflight.map(({ message }) => message)];
    for (const { body } of bodies) keys.add(orderKey(JSON.parse(body) as Job));
  }
  return keys;
}

/** Keys of the orders that have a row in the table of what waits. */
async function rowsIn(aws: EmbeddedAws): Promise<readonly string[]> {
  const client = newDynamoDbClient(localCalls, clientConfigOf(aws, 'DYNAMODB'));
  const keys: string[] = [];
  try {
    const waiting = createDynamoDbWaiting({ client, tableName: aws.waitingTableName });
    for await (const { key } of waiting.all()) keys.push(key);
  } finally {
    client.destroy();
  }
  return keys;
}

interface Seen {
  readonly ready: readonly { readonly body: string }[];
  readonly delayed: readonly { readonly body: string }[];
  readonly inflight: readonly { readonly message: { readonly body: string } }[];
}
