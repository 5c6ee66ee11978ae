// The batch result for its reader, field by field: the published contract is made from this and consumers read by
// it, as by result-message.ts.
import * as v from 'valibot';
import type { BatchOutcome, BatchResult, BatchTotal } from './batch-result.ts';
import { amountShape } from '../gateway/money.ts';
import { type FieldsOf, timeShape } from '../payout/message/result-message.ts';
import { standingNames } from '../payout/order/standing.ts';
import { closureStatuses } from './tally.ts';

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const time = v.pipe(v.string(), v.regex(timeShape));
const currency = v.pipe(v.string(), v.regex(/^[A-Z]{3}$/), v.description('ISO 4217'));
const amount = v.pipe(v.string(), v.regex(amountShape), v.description("with exactly the currency's decimals"));

/** The fields of one control total. */
const totalFields = { currency, count, amount } satisfies FieldsOf<BatchTotal>;

/** The fields of one outcome of the rows. */
const outcomeFields = {
  standing: v.pipe(v.picklist(standingNames), v.description('what became of the rows')),
  currency: v.exactOptional(currency),
  amount: v.exactOptional(amount),
  count,
  elsewhere: v.pipe(
    count,
    v.description('how many of these belong to another batch or to none, which counts them too'),
  ),
} satisfies FieldsOf<BatchOutcome>;

/** The fields of a batch result, each described for its reader. */
export const batchResultFields = {
  version: v.pipe(v.literal(1), v.description('always 1: within it fields may be added, none changed or removed')),
  kind: v.pipe(
    v.literal('batch-result'),
    v.description('distinguishes it from the result of an order, which has no `kind`'),
  ),
  resultId: v.pipe(
    v.string(),
    v.regex(/^~batch\/[A-Za-z0-9._-]{1,48}\/[1-9]\d*$/),
    v.description('de-duplicate on it: `~batch/<batch id>/<revision>`'),
  ),
  batchId: v.pipe(v.string(), v.nonEmpty(), v.description('as in the jobs')),
  revision: v.pipe(
    v.number(),
    v.integer(),
    v.minValue(1),
    v.description(
      'a higher revision of the same batch supersedes a lower one: a row has changed after the batch was published',
    ),
  ),
  status: v.pipe(
    v.picklist(closureStatuses),
    v.description(
      '`closed`: every payout has ended, or waits for a person and is not paid; `in-doubt`: money of some may have moved; `reopened`: some are under way again. The sums are always those of the file',
    ),
  ),
  final: v.pipe(v.boolean(), v.description('no row is asked about any more, and none waits for a person')),
  merchant: v.exactOptional(
    v.pipe(v.string(), v.nonEmpty(), v.description('of every row, if all are of one merchant')),
  ),
  fileHash: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/), v.description("SHA-256 of the file's bytes")),
  rows: v.pipe(count, v.description('rows of the file')),
  totals: v.pipe(v.array(v.object(totalFields)), v.description('control totals of the file per currency')),
  outcomes: v.pipe(v.array(v.object(outcomeFields)), v.description('what became of the rows; adds up to the totals')),
  registeredAt: v.pipe(time, v.description('when the upload was begun or put up for approval')),
  occurredAt: v.pipe(time, v.description('when the rows had these outcomes')),
} satisfies FieldsOf<BatchResult>;

/** A whole batch result; fields that this version does not know are taken and left alone. */
export const batchResultSchema = v.object(batchResultFields) satisfies v.GenericSchema<BatchResult>;
