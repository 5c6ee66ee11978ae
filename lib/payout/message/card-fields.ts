// Card data in a job: which fields hold it, and where else it is found. Nothing here keeps or repeats a value.
import { cardDataInName, cutMark, holdsCardData, isCardAccount, lettersHold } from '../../gateway/redact.ts';
import type { Field } from '../../gateway/fields.ts';
import { type OperationName, operations } from '../../gateway/operations.ts';
import type { Job, JobIdentity } from './job.ts';
import { type JsonText, scalarsOf } from './json-text.ts';

/** The params of a job that are card data: the fields that must come sealed. */
export function plainCardFields(job: {
  readonly operation: OperationName;
  readonly params: Readonly<Record<string, string>>;
}): string[] {
  const { fields } = operations[job.operation];
  return Object.keys(job.params).filter((name) => fields[name]?.card !== undefined);
}

const letterFields = ['sealedParams', 'resends', 'approval'] as const;

type Written = Parameters<typeof plainCardFields>[0] &
  Pick<JobIdentity, 'orderId' | 'context'> &
  Pick<Job, (typeof letterFields)[number]>;

/**
 * The places where a job holds card data that it must not hold: free texts, URLs, references, account numbers, the order id, the sender's
 * own context, or encoded texts that are never read. A text with the mark of a cut counts too: it is not what its sender sent.
 */
export function cardNumbersInText({ operation, params, orderId, context, ...letters }: Written): string[] {
  const { fields } = operations[operation];
  const texts = Object.entries(params).filter(([name, text]) => holdsCardText(fields[name], text));
  return [
    ...texts.map(([name]) => name),
    ...(orderId !== undefined && isCutName(orderId) ? ['orderId'] : []),
    ...(context !== undefined && (context.includes(cutMark) || contextHolds(context)) ? ['context'] : []),
    ...letterFields.filter((name) => lettersHold(letters[name] ?? '')),
  ];
}

const isCut = (text: string) => text.includes(cutMark) || holdsCardData(text);
const isCutName = (name: string) => name.includes(cutMark) || cardDataInName(name) !== undefined;

/** The fields of an identity and of a message that are names, not texts. */
const names: ReadonlySet<string> = new Set(['orderId', 'batchId', 'merchant', 'endpointId']);
const holdsIn = (name: string, text: string) =>
  name === 'context' ? contextHolds(text) : names.has(name) ? isCutName(text) : holdsCardData(text);

/**
 * True if the JSON holds card data. Each value is judged by itself. A security code is recognised by its name alone, so the whole text is
 * judged too.
 */
export function contextHolds(context: JsonText): boolean {
  return scalarsOf(context).some((it) => holdsCardData(it)) || holdsCardData(context.replaceAll(/\d{5,}/g, 'x'));
}

/** True if the field's text holds what it must not. */
function holdsCardText(field: Field | undefined, text: string): boolean {
  if (!field || field.card !== undefined) return false;
  if (!['text', 'url', 'digits'].includes(field.kind)) return false;
  return field.bankAccount ? text.includes(cutMark) || isCardAccount(text) : isCut(text);
}

/** The parts of an identity that may be published, logged and stored. */
export function shownIdentity(identity: JobIdentity): JobIdentity {
  return Object.fromEntries(
    Object.entries(identity).filter(([name, text]) => typeof text !== 'string' || !holdsIn(name, text)),
  );
}
