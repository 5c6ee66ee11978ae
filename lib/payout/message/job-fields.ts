// The fields of the job message as its sender writes them. The published contract (infra/contracts) and the table of
// infra/docs/jobs-and-results.md are made from them: a rule beyond JSON Schema is a `check` with a message of its own. They have a file of
// their own because users of the client package compile the types of job.ts without the schema library.
import * as v from 'valibot';
import { operationNames } from '../../gateway/operations.ts';
import { cardDataInName } from '../../gateway/redact.ts';
import { isRecord, momentOf } from './inbound.ts';

/** Longest message body that is looked at, in bytes; a job with every field at its limit stays far below. */
export const jobBodyLimitBytes = 65_536;

/** Longest `sealedParams`, in characters: every card field at its limit under an RSA key of 4096 bits takes half of it. */
const sealedParamsLimit = 4096;
/** Longest `context`, in bytes as its sender wrote it. The ledger item keeps it in this form, and must stay under 1 KB. */
export const contextLimitBytes = 192;

/** How far ahead `notBefore` may be, in days: the job must not grow old while it waits. */
export const notBeforeLimitDays = 7;

/** The fault of a value that is not as expected. */
const expected = (text: string) => `is not ${text}`;

/** The fault of a name with digits that pass for a card number: says where they are, and repeats none of them. */
export function passesForCard(name: string): string {
  const { begin, end } = cardDataInName(name) ?? { begin: 0, end: name.length };
  return `holds digits that pass for a card number (characters ${begin + 1} to ${end}); write them otherwise, or leave them out`;
}

const shaped = (shape: RegExp, text: string) =>
  v.pipe(v.string(expected('text')), v.trim(), v.regex(shape, expected(text)));
/** A name that logs, results and names of secrets show. */
const named = (shape: RegExp, text: string) =>
  v.pipe(
    shaped(shape, text),
    v.check((name) => !cardDataInName(name), 'holds digits that pass for a card number; leave them out'),
  );
/** A JSON object, whatever is in it. */
export const jsonObject = v.custom<Readonly<Record<string, unknown>>>(isRecord, expected('an object'));
/** The fault of a `context` above its limit. */
export const contextTooLong = `is longer than ${contextLimitBytes} bytes as JSON`;
const timeFault = expected('a time such as "2026-11-30T00:00:00Z"');
const timed = (text: string) =>
  v.pipe(
    v.string(expected('text')),
    v.regex(v.ISO_TIMESTAMP_REGEX, timeFault),
    v.check((time) => momentOf(time) !== undefined, timeFault),
    v.description(text),
  );

/** The fields, in the order in which the documents list them. Faults of `params` are found by {@link paramFaults}. */
export const jobFields = {
  version: v.pipe(
    v.literal(1, expected('1, the only version of this contract')),
    v.description('`1`, the only version'),
  ),
  operation: v.pipe(
    v.picklist(operationNames, expected(`one of ${operationNames.join(', ')}`)),
    v.description('a row of the table of operations'),
  ),
  merchant: v.pipe(
    named(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'a merchant name: 1 to 64 letters, digits, ".", "_" or "-"'),
    v.description('the name of the merchant: letters, digits, `.`, `_`, `-`; at most 64'),
  ),
  endpointId: v.pipe(
    named(/^(group\/)?[A-Za-z0-9_-]{1,16}$/, 'an endpoint id: 1 to 16 letters or digits, or "group/" and one'),
    v.description(
      "last segment of the gateway's URL, at most 16 letters or digits; `group/<id>` for an endpoint group",
    ),
  ),
  orderId: v.pipe(
    shaped(/^[\u0020-\u007e]{1,128}$/, 'an order id: 1 to 128 printable ASCII characters'),
    v.description('yours, printable ASCII, at most 128; with the merchant, the same id is the same order for ever'),
  ),
  params: v.pipe(
    jsonObject,
    v.description(
      "the gateway's field names; every value is text. `amount` is a decimal with at most the currency's digits",
    ),
  ),
  sealedParams: v.optional(
    v.pipe(
      shaped(/^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]*){4}$/, 'a compact JWE: five parts of base64url'),
      v.maxLength(sealedParamsLimit, `is longer than ${sealedParamsLimit} characters`),
      v.description('card fields of `params`, sealed as a compact JWE for this order'),
    ),
  ),
  notBefore: v.optional(timed(`not started before this moment, at most ${notBeforeLimitDays} days ahead`)),
  expiresAt: v.optional(timed('not started after this moment')),
  resends: v.optional(
    v.pipe(
      shaped(/^[A-Za-z0-9_-]{1,64}$/, 'the `endId` of a result'),
      v.description(
        'sends a declined or failed order again: the `endId` of its result. A later sign of life or another attempt voids it',
      ),
    ),
  ),
  batchId: v.optional(
    v.pipe(
      named(/^[A-Za-z0-9._-]{1,48}$/, 'a batch id: 1 to 48 letters, digits, ".", "_" or "-"'),
      v.description('at most 48 letters, digits, `.`, `_`, `-`; returned on the result'),
    ),
  ),
  context: v.optional(
    v.pipe(
      jsonObject,
      // Judged by its text, which no schema sees (isTooLong).
      v.check(() => true, contextTooLong),
      v.description(`object, at most ${contextLimitBytes} bytes as JSON; returned on every result byte for byte`),
    ),
  ),
  approval: v.optional(
    v.pipe(
      // A place in the tree of the batch and the hashes above it, 32 bytes each. Without a place it proves nothing.
      shaped(/^(\d{1,9}\.)?[A-Za-z0-9_-]{0,1408}$/, 'an approval: a number, a dot, and base64url'),
      v.description('the proof that a second person approved this row, if the merchant needs one; `submit` writes it'),
    ),
  ),
};

/** The schema of the job message; unknown fields and the `params` are judged beside it, so that all faults are reported. */
export const jobSchema = v.object(jobFields, 'is missing');
