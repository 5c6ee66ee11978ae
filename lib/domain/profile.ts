// What a merchant's gateway contract offers. The default is interface.md alone: no inquiry, duplicates accepted, so
// "accepted" is final and doubt waits for a person. Nothing is assumed that the contract does not state.
import * as v from 'valibot';
import { contractFields, interfaceFields } from './fields.ts';
import {
  type OperationName,
  operationNames,
  operations,
  type OrderIdField,
  type SignatureMethodName,
} from './operations.ts';

const perOperation = <T extends string>(values: readonly T[]) =>
  v.optional(
    v.record(v.picklist(operationNames), v.picklist(values)) as v.GenericSchema<Partial<Record<OperationName, T>>>,
    {},
  );

const knownFields = [...Object.keys(interfaceFields), ...Object.keys(contractFields)];

/** The schema of `profile` in a merchant's secret; each default is the interface document's. */
export const profileSchema = v.strictObject({
  /** The gateway answers `v4/status` for this merchant. */
  statusInquiry: v.optional(v.boolean(), false),
  /** Whether the gateway itself refuses an order id that it has seen. */
  duplicateOrderIds: v.optional(v.picklist(['accepted', 'refused']), 'accepted'),
  /** Error codes by which it then says so: such a refusal speaks of the earlier order, so it is doubt. */
  duplicateOrderCodes: v.optional(v.array(v.string()), []),
  /** Codes that this contract lists as temporary, beside those of gateway-facts.md section 5. */
  temporaryErrorCodes: v.optional(v.array(v.string()), []),
  /** 4xx statuses that, under this contract, do not prove that nothing was created (a proxy's own 404, say). */
  doubtfulHttpStatuses: v.optional(v.array(v.pipe(v.number(), v.integer(), v.minValue(400), v.maxValue(499))), []),
  /** Spelling of the order identifier where it is not the operation's default. */
  orderIdField: perOperation<OrderIdField>(['client_orderid', 'client-order-id']),
  /** Signature method where it is not the operation's default. */
  signatureMethod: perOperation<SignatureMethodName>(['HMAC-SHA1', 'RSA-SHA256']),
  /** Contract-dependent request fields that may be sent, per operation. */
  extraFields: v.optional(
    v.record(v.picklist(operationNames), v.array(v.picklist(knownFields))) as v.GenericSchema<
      Partial<Record<OperationName, string[]>>
    >,
    {},
  ),
  /** Which form the reply is asked for: JSON by the vendor's Accept type (as interface.md reads it) or form text. */
  replyFormat: v.optional(v.picklist(['json', 'form']), 'json'),
  /** Path between the base URL and the version; one brand of the platform has `/checkout/api` (gateway-facts.md 1). */
  apiPath: v.optional(v.pipe(v.string(), v.regex(/^(\/[A-Za-z0-9._~-]+)+$/)), '/paynet/api'),
  /** Sent in the Authorization header where the gateway asks for one; never signed. */
  realm: v.optional(v.pipe(v.string(), v.regex(/^[\u0020\u0021\u0023-\u005b\u005d-\u007e]*$/))),
  /** Time over which negative inquiries must be spread before an order counts as unknown to the gateway. */
  quietPeriodSeconds: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0)), 1800),
  /** Test keys: RSA below 2048 bits is taken. Never for a merchant that pays real money. */
  testKeys: v.optional(v.boolean(), false),
});

/** A merchant's profile with every default filled in. */
export type Profile = v.InferOutput<typeof profileSchema>;

/** The interface document alone. */
export const defaultProfile: Profile = v.parse(profileSchema, {});

/** The fields of a job that its merchant's contract does not know; sent anyway, they would change what is signed. */
export function fieldsOutsideContract(
  profile: Profile,
  job: { readonly operation: OperationName; readonly params: Readonly<Record<string, string>> },
): string[] {
  const { fields } = operations[job.operation];
  const allowed = profile.extraFields[job.operation] ?? [];
  return Object.keys(job.params).filter((name) => fields[name]?.contractDependent && !allowed.includes(name));
}
