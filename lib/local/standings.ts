// Where the orders stand that nothing was told about: the ledger's word first, and where an order never came there, the
// last line of the worker's log about it.
import { newDynamoDbClient } from '../aws/dynamodb-client.ts';
import { ledgerTable } from '../aws/dynamodb-table.ts';
import type { LedgerEntry } from '../payout/ledger.ts';
import { defaultLimits } from '../payout/limits.ts';
import { type Result, resultOf } from '../payout/result.ts';
import { ordersOf } from '../restore/dynamodb-restoration.ts';
import type { Standing } from './accounts.ts';
import type { JobFeed } from './console/job-feed.ts';
import type { EmbeddedAws } from './embedded-aws.ts';
import { clientConfigOf } from './local-environment.ts';
import { localCalls } from './local-limits.ts';

/** What is known of orders without a result. */
export interface Found {
  readonly standings: ReadonlyMap<string, Standing>;
  /** Results that the ledger holds and that did not reach their queue before the run ended. */
  readonly untold: readonly Result[];
}

/** Looks the orders up, by key. While no message is left, none of them waits: what has no result then is lost. */
export async function findStandings(
  aws: EmbeddedAws,
  feed: JobFeed,
  keys: readonly string[],
  isAnyLeft: boolean,
): Promise<Found> {
  const client = newDynamoDbClient(localCalls, clientConfigOf(aws, 'DYNAMODB'));
  const ledger = ordersOf(ledgerTable({ ledgerTableName: aws.ledgerTableName, limits: defaultLimits }, client));
  const standings = new Map<string, Standing>();
  const untold: Result[] = [];
  try {
    for (const key of keys) {
      const read = await ledger.read(key);
      const entry = read?.kind === 'found' ? read.entry : undefined;
      const result = entry && resultOf(entry);
      if (result) untold.push(result);
      else if (isAnyLeft || entry?.state === 'submitting') standings.set(key, standingOf(entry, feed.reasonOf(key)));
    }
  } finally {
    client.destroy();
  }
  return { standings, untold };
}

function standingOf(entry: LedgerEntry | undefined, reason: string | undefined): Standing {
  if (entry?.state === 'submitting') {
    const message = 'the worker was stopped while it waited for the gateway';
    return { ending: 'in doubt', failure: { code: 'WORKER_LOST', message } };
  }
  const failure = entry?.failure ?? (reason === undefined ? undefined : { code: reason, message: 'see the log' });
  return { ending: 'waiting', ...(failure && { failure }) };
}
