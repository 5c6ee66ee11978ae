// The terms of a merchant's gateway contract. The default is the interface document: no inquiry, and duplicates are paid. So
// "accepted" is final and doubt waits for a person. The worker assumes nothing that the contract does not state.
import * as v from 'valibot';
import { allFields } from './fields.ts';
import { type OperationName, operationNames, type OrderIdField } from './operations.ts';
import { type capsSchema, doubtLimits, fileChecks } from './profile-limits.ts';
import { signatureMethodNames } from '../oauth1/vocabulary.ts';

/** The requests with settings of their own: the operations, and the status inquiry. */
type RequestName = OperationName | 'status';
type PerRequest<T> = Partial<Record<RequestName, T>>;

function perRequest<T extends string>(values: readonly T[]) {
  return v.record(v.picklist([...operationNames, 'status']), v.picklist(values)) as v.GenericSchema<PerRequest<T>>;
}

/** A list of texts per operation. */
const textsPerOperation = v.record(v.picklist(operationNames), v.array(v.string())) as v.GenericSchema<
  Partial<Record<OperationName, string[]>>
>;

const knownFields = Object.keys(allFields);
const fieldLists = v.record(v.picklist(operationNames), v.array(v.picklist(knownFields)));
const doubtfulStatus = v.pipe(v.number(), v.integer(), v.minValue(400), v.maxValue(499));

/** The schema of `profile` in a merchant's secret; each default is the interface document's. */
export const profileSchema = v.strictObject({
  statusInquiry: v.optional(
    v.pipe(v.boolean(), v.description('the gateway answers `v4/status` for this merchant')),
    false,
  ),
  statusWords: v.optional(
    v.pipe(
      v.strictObject({
        error: v.exactOptional(v.picklist(['declined', 'pending'])),
        unknown: v.exactOptional(v.picklist(['declined', 'pending'])),
      }),
      v.description(
        'what the statuses `error` and `unknown` mean, as a sandbox has shown; by default they prove nothing',
      ),
    ),
    {},
  ),
  transactionTypes: v.optional(
    v.pipe(
      textsPerOperation,
      v.description('per operation, further names of its transactions in statuses and callbacks'),
    ),
    {},
  ),
  duplicateOrderCodes: v.optional(
    v.pipe(
      v.array(v.string()),
      v.description('error codes for an order id that the gateway has seen; the refusal is about the earlier order'),
    ),
    [],
  ),
  temporaryErrorCodes: v.optional(
    v.pipe(v.array(v.string()), v.description('further temporary error codes, beside 102, 502, 1001–1004 and 1013')),
    [],
  ),
  accountCodes: v.optional(
    v.pipe(
      textsPerOperation,
      v.description(
        'per operation, further error codes about the account (funds), beside 2, 3, 4, 5, 7, 21, 33 and 1005: the order waits',
      ),
    ),
    {},
  ),
  doubtfulHttpStatuses: v.optional(
    v.pipe(v.array(doubtfulStatus), v.description('4xx statuses after which the order may have been created')),
    [],
  ),
  orderIdField: v.optional(
    v.pipe(
      perRequest<OrderIdField>(['client_orderid', 'client-order-id']),
      v.description('spelling of the order id per operation, and for `status`'),
    ),
    {},
  ),
  signatureMethod: v.optional(
    v.pipe(perRequest(signatureMethodNames), v.description('signature method per operation, and for `status`')),
    {},
  ),
  extraFields: v.optional(
    v.pipe(
      fieldLists as v.GenericSchema<Partial<Record<OperationName, string[]>>>,
      v.description('contract-dependent request fields that may be sent, per operation'),
    ),
    {},
  ),
  ...fileChecks,
  apiPath: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^(\/[A-Za-z0-9._~-]+)+$/, 'must be a path such as "/paynet/api"'),
      v.description('path between the base URL and the version of the operation'),
    ),
    '/paynet/api',
  ),
  realm: v.exactOptional(
    v.pipe(
      v.string(),
      v.regex(/^[\u0020\u0021\u0023-\u005b\u005d-\u007e]*$/, 'must be ASCII text without quotes or backslashes'),
      v.description('sent in the Authorization header, never signed'),
    ),
  ),
  quietPeriodSeconds: v.optional(
    v.pipe(
      v.number(),
      v.integer(),
      v.minValue(0),
      v.description('how long the gateway must deny an order before it may be sent again'),
    ),
    1800,
  ),
  visibleAfterSeconds: v.optional(
    v.pipe(
      v.number(),
      v.integer(),
      v.minValue(0),
      v.description(
        'how long after a refusal a status may still miss the order; the inquiry before the next attempt waits for that',
      ),
    ),
    60,
  ),
  namesNewest: v.optional(
    v.pipe(
      v.boolean(),
      v.description('a status by order id names the newest transaction: an older one denies the newer'),
    ),
    false,
  ),
  resubmitUnknownOrders: v.optional(
    v.pipe(
      v.boolean(),
      v.description(
        'after the quiet period, an order unknown to the gateway is `failed` and can be sent again by naming its end; otherwise it is held',
      ),
    ),
    false,
  ),
  doubtHorizonSeconds: v.optional(
    v.pipe(v.number(), v.integer(), v.minValue(60), v.description('doubt that lasts longer is held for a person')),
    86_400,
  ),
  acceptedHorizonSeconds: v.optional(
    v.pipe(
      v.number(),
      v.integer(),
      v.minValue(60),
      v.description('after this time, an accepted order is `held` (`HELD_NO_END`), with an alarm; inquiries go on'),
    ),
    259_200,
  ),
  usualEndSeconds: v.exactOptional(
    v.pipe(
      v.number(),
      v.integer(),
      v.minValue(10),
      v.maxValue(86_400),
      v.description('age at which accepted orders usually end; until half of it, an order is asked about once'),
    ),
  ),
  ratePerSecond: v.exactOptional(
    v.pipe(
      v.number(),
      v.minValue(0.05),
      v.maxValue(10_000),
      v.description('requests a second to one endpoint, all workers together; unset, the worker finds the limit'),
    ),
  ),
  concurrency: v.exactOptional(
    v.pipe(
      v.number(),
      v.integer(),
      v.minValue(1),
      v.description('concurrent requests to one endpoint, all workers together; unset, the limits of the stack'),
    ),
  ),
  doubtLimits,
  testKeys: v.optional(
    v.pipe(v.boolean(), v.description('accepts RSA keys below 2048 bits; only for test merchants')),
    false,
  ),
});

/** The settings that approvers control; never part of the merchant's secret (lib/batches/safeguards.ts). */
export interface Safeguards {
  /** Money moves only by batches that a second person has approved. */
  readonly twoPersonRelease: boolean;
  readonly caps: v.InferOutput<typeof capsSchema>;
}

/** A merchant's profile with every default filled in, and its safeguards. */
export type Profile = v.InferOutput<typeof profileSchema> & Safeguards;

/** Used while a merchant's safeguards are not read: only approved batches are sent. */
export const unreadSafeguards: Safeguards = { twoPersonRelease: true, caps: {} };

/** The interface document alone, without safeguards. */
export const defaultProfile: Profile = { ...v.parse(profileSchema, {}), twoPersonRelease: false, caps: {} };
