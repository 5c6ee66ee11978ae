// The result message as its reader meets it, field by field: the published contract (infra/contracts) is made from this
// and consumers read by it. The worker itself writes results by result.ts and never reads one.
import * as v from 'valibot';
import { jsonObject } from './job-fields.ts';
import { type Failure, failureCodes } from './failures.ts';
import { amountShape } from '../../gateway/money.ts';
import { operationNames } from '../../gateway/operations.ts';
import { type ReadResult, type Result, resultStatuses } from './result.ts';

/** A schema for every field, so that none can be left out when the type grows. */
export type FieldsOf<T> = { readonly [Name in keyof Required<T>]: v.GenericSchema };

/** A time as results have it. */
export const timeShape = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

const described = (text: string) => v.pipe(v.string(), v.nonEmpty(), v.description(text));
const count = (least: number) => v.pipe(v.number(), v.integer(), v.minValue(least));
const optional = v.exactOptional;

/** The fields of `failure`. */
export const failureFields = {
  code: v.pipe(
    v.string(),
    v.regex(/^[A-Z][A-Za-z0-9_]*$/),
    v.description(
      `why it did not go through: ${Object.keys(failureCodes).join(', ')} (HTTP_400 to HTTP_499); more may come`,
    ),
  ),
  message: v.pipe(v.string(), v.description('one sentence for a person; never card data or secrets')),
  gatewayCode: optional(v.pipe(v.string(), v.description("the gateway's own code, if it gave one"))),
  httpStatus: optional(v.pipe(count(100), v.maxValue(599), v.description("HTTP status of the gateway's answer"))),
} satisfies FieldsOf<Failure>;

/** The fields of `reversal`. */
const reversalFields = {
  type: described("the gateway's name for it, in lower case: `reversal`, `chargeback` and others"),
  status: described("the gateway's status of it, in lower case: `approved`, `declined`, `processing` and others"),
  amount: optional(
    v.pipe(v.string(), v.regex(amountShape), v.description('undone so far in all, if the gateway says it')),
  ),
  at: v.pipe(v.string(), v.regex(timeShape), v.description('when it was learned')),
} satisfies FieldsOf<NonNullable<Result['reversal']>>;

/** The fields of a result; `operation` and `status` are closed lists, everything else may be followed by new fields. */
export const resultFields = {
  version: v.pipe(v.literal(1), v.description('always 1: within it fields may be added, none changed or removed')),
  resultId: v.pipe(
    v.string(),
    v.regex(/^(rejected\/.+|.+\/.+\/[1-9]\d*)$/),
    v.description(
      'de-duplicate on it: `<merchant>/<order id>/<revision>`, for a message that never became an order `rejected/<id that SQS gave the message>/<mark of the content>`',
    ),
  ),
  operation: optional(v.pipe(v.picklist(operationNames), v.description('as in the job, if it could be read'))),
  merchant: optional(described('as in the job, if it could be read')),
  endpointId: optional(described('as in the job, if it could be read')),
  orderId: optional(described('as in the job, if it could be read')),
  status: v.pipe(
    v.picklist(resultStatuses),
    v.description('what is known of the money; `rejected`: the message was not taken, which says nothing of any order'),
  ),
  final: v.pipe(
    v.boolean(),
    v.description('nothing follows by itself: no inquiry is under way, and no person is needed'),
  ),
  transactionId: optional(described("the gateway's id of a transfer")),
  payoutId: optional(described("the gateway's id of a payout")),
  gatewayOrderId: optional(
    described("the gateway's identity of the order, if it is known; the ids above may be aliases of it"),
  ),
  amount: optional(v.pipe(v.string(), v.regex(amountShape), v.description("with exactly the currency's decimals"))),
  currency: optional(v.pipe(v.string(), v.regex(/^[A-Z]{3}$/), v.description('ISO 4217'))),
  gatewayAmount: optional(
    described('amount and currency that the gateway reports, if they differ from those of the job, as in `10.43 EUR`'),
  ),
  reversal: optional(
    v.pipe(
      v.object(reversalFields),
      v.description(
        'a later transaction that undid the payment, or tries to; `status` does not change by it, and each step is a new revision',
      ),
    ),
  ),
  attempts: v.pipe(count(0), v.description('requests sent to the gateway for this order')),
  revision: optional(
    v.pipe(
      count(0),
      v.description('a higher one of the same order supersedes a lower one; 0 if the message became no order'),
    ),
  ),
  failure: optional(v.pipe(v.object(failureFields), v.description('why it did not go through, or not clearly'))),
  endId: optional(
    described(
      'the name of this end, if the order was declined or failed: only a job with it as `resends` sends the order again',
    ),
  ),
  occurredAt: v.pipe(v.string(), v.regex(timeShape), v.description('when this revision came to be')),
  batchId: optional(described('as in the job')),
  context: optional(v.pipe(jsonObject, v.description('as in the job, byte for byte'))),
} satisfies FieldsOf<Result>;

/** A whole result; fields that this version does not know are taken and left alone. */
export const resultSchema = v.object(resultFields) satisfies v.GenericSchema<ReadResult>;
