// What is left when a kill run ends, seen past all troubled services: the orders as the ledger has them, with the results
// that it knows to be untold, and the messages of jobs that are still on a queue, in any condition.
import { setTimeout as sleep } from 'node:timers/promises';
import { type DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { newDynamoDbClient } from '../../lib/aws/dynamodb-client.ts';
import { ledgerTable } from '../../lib/aws/dynamodb-table.ts';
import type { EmbeddedAws } from '../../lib/local/embedded-aws.ts';
import { clientConfigOf } from '../../lib/local/local-environment.ts';
import { localCalls } from '../../lib/local/local-limits.ts';
import type { Job } from '../../lib/payout/job.ts';
import { moves, orderKey, type OrderState } from '../../lib/payout/ledger.ts';
import { defaultLimits } from '../../lib/payout/limits.ts';
import { type Result, resultOf } from '../../lib/payout/result.ts';
import { ordersOf } from '../../lib/restore/dynamodb-restoration.ts';

/** What is left. */
export interface LeftOver {
  /** Every order of the ledger, by its key. */
  readonly states: ReadonlyMap<string, OrderState>;
  /** Results that the ledger holds under their mark: the sweeper tells them. */
  readonly untold: readonly Result[];
  /** Keys of the orders of which a message is on a queue of jobs. */
  readonly waiting: ReadonlySet<string>;
}

/** Looks. */
export async function leftOver(aws: EmbeddedAws): Promise<LeftOver> {
  const client = newDynamoDbClient(localCalls, clientConfigOf(aws, 'DYNAMODB'));
  try {
    const orders = await ordersIn(client, aws);
    const ledger = ordersOf(ledgerTable({ ledgerTableName: aws.ledgerTableName, limits: defaultLimits }, client));
    const untold: Result[] = [];
    for (const { key } of orders.filter(({ isUntold }) => isUntold)) {
      const read = await ledger.read(key);
      const result = read?.kind === 'found' ? resultOf(read.entry) : undefined;
      if (result) untold.push(result);
    }
    return { states: new Map(orders.map(({ key, state }) => [key, state])), untold, waiting: await waitingIn(aws) };
  } finally {
    client.destroy();
  }
}

/** Waits until the ledger marks no result as untold, or it has taken this long. */
export async function untilAllIsTold(aws: EmbeddedAws, patienceMs: number): Promise<void> {
  const endsAtMs = Date.now() + patienceMs;
  const client = newDynamoDbClient(localCalls, clientConfigOf(aws, 'DYNAMODB'));
  while (Date.now() < endsAtMs && (await ordersIn(client, aws)).some(({ isUntold }) => isUntold)) await sleep(2_000);
  client.destroy();
}

async function ordersIn(client: DynamoDBClient, { ledgerTableName: TableName }: EmbeddedAws) {
  const items = [];
  for await (const { Items = [] } of paginateScan({ client }, { TableName })) items.push(...Items);
  // Lanes, caps and the words about messages have items of their own in the table, which bear no state of an order.
  return items
    .filter(({ st }) => Object.hasOwn(moves, st?.S ?? ''))
    .map(({ pk, st, un }) => ({ key: pk?.S ?? '', state: st?.S as OrderState, isUntold: un?.BOOL === true }));
}

/** Not by receiving: what is delayed or in flight counts too, and nothing is to be moved. */
async function waitingIn({ environment, queueUrls }: EmbeddedAws): Promise<ReadonlySet<string>> {
  const keys = new Set<string>();
  for (const url of [queueUrls.jobs, queueUrls.batchJobs]) {
    const name = new URL(url).pathname.split('/').at(-1);
    const answer = await fetch(`${environment['AWS_ENDPOINT_URL_SQS']}/_fauxqs/queues/${name}`);
    const { messages } = (await answer.json()) as { messages: Seen };
    const bodies = [...messages.ready, ...messages.delayed, ...messages.inflight.map(({ message }) => message)];
    for (const { body } of bodies) keys.add(orderKey(JSON.parse(body) as Job));
  }
  return keys;
}

interface Seen {
  readonly ready: readonly { readonly body: string }[];
  readonly delayed: readonly { readonly body: string }[];
  readonly inflight: readonly { readonly message: { readonly body: string } }[];
}
