// The rows of a file, judged one by one as the worker would judge them, in the file's order.
import type { BulkRow, XmlPlace } from './bulk-row.ts';
import { cardNumbersInText, plainCardFields } from '../payout/message/card-fields.ts';
import { passesForCard } from '../payout/message/job-fields.ts';
import { type Job, judgeJob, type ParsedJob } from '../payout/message/job.ts';
import { createRoundedColumn, isRecord, textKindOf } from '../payout/message/inbound.ts';
import { allFields } from '../gateway/fields.ts';
import { orderKey } from '../payout/order/order.ts';
import type { Profile } from '../gateway/profile.ts';
import { requiredRemarks } from '../gateway/profile-remarks.ts';
import { fieldsOutsideContract } from '../gateway/operations.ts';
import { messageText } from '../payout/message/json-text.ts';
import type { Findings } from './preflight.ts';
import type { RowFault, RowWarning } from './row-findings.ts';
import type { Credentials } from '../gateway/ports.ts';

/** A row that is a job. */
export interface GoodRow {
  readonly kind: 'job';
  readonly row: number;
  /** The message without its batch's id, which may depend on all rows. */
  readonly message: Readonly<Record<string, unknown>>;
  /** The same as text. */
  readonly text: string;
  readonly job: Job;
  /** Warnings that a person must confirm. */
  readonly warnings?: readonly RowWarning[];
  /** The batch that the row names itself. */
  readonly batchId?: string;
  readonly original?: BulkRow['original'];
  readonly place?: XmlPlace;
}

/** A row that is no job. */
export interface BadRow {
  readonly kind: 'rejected';
  readonly row: number;
  readonly faults: readonly RowFault[];
  readonly original?: BulkRow['original'];
  readonly place?: XmlPlace;
  readonly cutOff?: true;
}

/** A row that was judged. */
export type CheckedRow = GoodRow | BadRow;

/** The contract of a merchant, as its rows are judged by it. */
type Contract =
  | { readonly kind: 'profile'; readonly profile: Profile }
  /** Every row of the merchant is wrong. */
  | { readonly kind: 'fault'; readonly fault: string; readonly isMissing?: true }
  /** Not known now, and nothing will be sent. */
  | { readonly kind: 'unknown' };

/** Reads contracts. Rejects if they can't be read now. */
type Contracts = (merchant: string) => Promise<Contract>;

/** The ports of judging. */
export interface CheckPorts {
  /** Absent: rows are not compared with contracts. */
  readonly contracts?: Contracts;
  /** True if card data is sealed before it is sent. Absent for a file that was sent already: its card data was judged then. */
  readonly seals?: boolean;
  /** Compares a row with all that can be known of it. */
  readonly preflight?: (job: Job, profile: Profile | undefined) => Findings;
  /** The row that named the order first; undefined, and noted, if it is this one. */
  readonly firstOfOrder: (orderKey: string, row: number) => number | undefined;
}

/** A merchant's contract could not be read, so no row of it can be judged. */
export class ContractUnknown extends Error {}

/** Contracts by the merchants' secrets. */
export function contractsOf(credentials: Credentials): Contracts {
  return async (merchant) => {
    const answer = await credentials.of(merchant);
    if (answer.kind === 'credentials') {
      const { profile } = answer.credentials;
      const [odd] = requiredRemarks(profile);
      // Else every row would be reported to lack a field that no row can have.
      return odd ? { kind: 'fault', fault: `has a ${odd.field} that ${odd.says}` } : { kind: 'profile', profile };
    }
    const { code, message } = answer.failure;
    if (code === 'MERCHANT_UNKNOWN')
      return { kind: 'fault', fault: 'has no secret, so no keys to sign with', isMissing: true };
    if (code === 'ACCOUNT_UNKNOWN') return { kind: 'fault', fault: message.slice(message.indexOf(' ') + 1) };
    if (code === 'SECRET_INVALID') return { kind: 'fault', fault: `has a secret that can't be used: ${message}` };
    throw new ContractUnknown(`the contract of ${merchant} can't be read (${message})`);
  };
}

/**
 * Judges rows, a few at a time. `batchId` is the command line's; without it a file whose first row names a batch is that batch,
 * and every row that names one must name the same.
 */
export async function* checkRows(
  rows: AsyncIterable<readonly BulkRow[]>,
  batchId: string | undefined,
  { contracts, seals, preflight, firstOfOrder }: CheckPorts,
): AsyncGenerator<readonly CheckedRow[]> {
  const known = new Map<string, Contract>();
  let batchOfFile = batchId;
  const numbers = createLongNumbers();
  let isFirst = true;

  for await (const some of rows) {
    const checked: CheckedRow[] = [];
    for (const read of some) {
      if (isFirst) batchOfFile ??= namedBatch(read);
      isFirst = false;
      if (read.message) numbers.add(read.message);
      const { row: judgedRow, identity } = judged(read, batchOfFile);
      let row = judgedRow;
      const faults: RowFault[] = [];
      if (row.kind === 'job') {
        const { job } = row;
        let contract = known.get(job.merchant);
        if (!contract && contracts) known.set(job.merchant, (contract = await contracts(job.merchant)));
        faults.push(...contractFaults(job, contract ?? { kind: 'unknown' }), ...cardFaults(job, seals));
        const found = preflight?.(job, contract?.kind === 'profile' ? contract.profile : undefined);
        if (found) faults.push(...found.faults);
        if (found && found.warnings.length > 0)
          row = { ...row, warnings: [...(row.warnings ?? []), ...found.warnings] };
      }
      const firstRow = identity && firstOfOrder(orderKey(identity), read.row);
      if (firstRow !== undefined) faults.push({ path: 'orderId', fault: `is the order id of row ${firstRow} too` });
      checked.push(faults.length === 0 ? row : rejected(row, faults));
    }
    yield checked;
  }
  const faults = numbers.faults();
  if (faults.length > 0) yield [{ kind: 'rejected', row: 1, faults, cutOff: true }];
}

/** The identifiers of all rows, by field: only all together show that a spreadsheet has rounded them. */
function createLongNumbers() {
  const columns = new Map<string, ReturnType<typeof createRoundedColumn>>();
  function note(path: string, value: unknown): void {
    if (typeof value !== 'string') return;
    const column = columns.get(path) ?? createRoundedColumn();
    columns.set(path, column);
    column.add(value.trim());
  }
  return {
    add({ orderId, params }: Readonly<Record<string, unknown>>): void {
      note('orderId', orderId);
      if (!isRecord(params)) return;
      for (const [name, value] of Object.entries(params)) if (isIdentifier(name)) note(`params.${name}`, value);
    },
    faults: (): RowFault[] =>
      [...columns].flatMap(([path, column]) => {
        const fault = column.fault();
        return fault === undefined ? [] : [{ path, fault }];
      }),
  };
}

/** True for a field every character of which counts. */
function isIdentifier(name: string): boolean {
  const field = Object.hasOwn(allFields, name) ? allFields[name] : undefined;
  return field !== undefined && ['account', 'digits'].includes(textKindOf(field));
}

/** The row by itself, and the order that it names, right or wrong: a second row of the same order is reported anyway. */
function judged(
  read: BulkRow,
  batchOfFile: string | undefined,
): { readonly row: CheckedRow; readonly identity?: OrderIdentity } {
  if (!read.message) return { row: rejected(read, []) };
  const { batchId: named, ...message } = read.message;
  const text = messageText(message);
  const parsed = judgeJob(message, text);
  // A value that a spreadsheet changed is reported once, as that.
  const reported = new Set(read.faults.map(({ path }) => path));
  const faults: RowFault[] =
    parsed.kind === 'job'
      ? []
      : parsed.faults.filter(({ field }) => !reported.has(field)).map(({ field, fault }) => ({ path: field, fault }));
  if (named !== undefined && (typeof named !== 'string' || named.trim() !== batchOfFile)) {
    faults.push({ path: 'batchId', fault: 'names another batch; a file is one batch: leave it out, or add --batch' });
  }
  if (parsed.kind === 'rejected' || faults.length > 0 || read.faults.length > 0) {
    return { row: rejected(read, faults), identity: wholeIdentity(parsed) };
  }
  const { job } = parsed;
  const batchId = named === undefined ? {} : { batchId: String(named).trim() };
  const { row, warnings, original, place } = read;
  return { row: { kind: 'job', row, message, text, job, ...batchId, warnings, original, place }, identity: job };
}

/** The batch that a row names itself. */
function namedBatch({ message }: BulkRow): string | undefined {
  const named = message?.['batchId'];
  return typeof named === 'string' ? named.trim() : undefined;
}

function wholeIdentity(parsed: ParsedJob): OrderIdentity | undefined {
  if (parsed.kind === 'job') return parsed.job;
  const { merchant, orderId } = parsed.identity;
  return merchant !== undefined && orderId !== undefined ? { merchant, orderId } : undefined;
}

function rejected(read: BulkRow | CheckedRow, more: readonly RowFault[]): BadRow {
  const { row, original, place } = read;
  const faults = [...('faults' in read ? read.faults : []), ...more];
  const cutOff = 'cutOff' in read && read.cutOff ? true : undefined;
  return { kind: 'rejected', row, faults, original, place, cutOff };
}

/** The card data that the worker would refuse. */
function cardFaults(job: Job, seals: boolean | undefined): RowFault[] {
  if (seals === undefined) return [];
  const plain = (seals ? [] : plainCardFields(job)).map((name) => ({
    path: `params.${name}`,
    fault: 'is card data in the clear; add --card-keys to seal it, or send a reference',
  }));
  const written = cardNumbersInText(job).map((name) => ({
    path: Object.hasOwn(job.params, name) ? `params.${name}` : name,
    fault: name === 'orderId' ? passesForCard(job.orderId) : 'holds digits that pass for a card number; leave them out',
  }));
  return [...plain, ...written];
}

function contractFaults(job: Job, contract: Contract): RowFault[] {
  if (contract.kind === 'unknown') return [];
  if (contract.kind === 'fault') return [{ path: 'merchant', fault: contract.fault }];
  return fieldsOutsideContract(contract.profile, job).map((name) => ({
    path: `params.${name}`,
    fault: `is not in the contract of ${job.merchant}; name it in the profile's extraFields, or leave it out`,
  }));
}

/** The identity of an order. */
type OrderIdentity = Parameters<typeof orderKey>[0];
