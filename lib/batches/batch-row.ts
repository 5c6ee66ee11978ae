// The state of a row of a batch, from the ledger alone. An order is the row's own only where it bears the batch's id
// and the row's money. A job that ended without such an order has left a note: it was refused, or its order is another
// batch's. A row with neither is still under way.
import type { BatchRow } from './batch.ts';
import type { RowEnd } from './tally.ts';
import { operations } from '../gateway/operations.ts';
import { hasMoneyInDoubt } from '../payout/operate/control.ts';
import type { Failure } from '../payout/message/failures.ts';
import { isCancelledBeforehand, type OrderView } from '../payout/order/projection.ts';
import type { OrderState } from '../payout/order/states.ts';
import type { ChangeAnnouncing, OrderChange } from '../payout/order/order-changes.ts';
import type { RowNote } from '../payout/submit/note-row.ts';

/** The states of an open row: its order's state, or one for a row without an order that can be read. */
export const openRowStates = ['waiting', 'submitting', 'retryable', 'in-doubt', 'unreadable'] as const;

/** One of {@link openRowStates}. */
export type OpenRowState = (typeof openRowStates)[number];

/** The state of a row. */
export type RowStatus =
  | {
      readonly kind: 'open';
      readonly state: OpenRowState;
      /** Nobody knows whether its money moved, and the gateway is being asked. */
      readonly inDoubt: boolean;
      readonly entry?: OrderView;
    }
  | {
      readonly kind: 'ended';
      readonly end: RowEnd;
      /** Nothing follows of itself, and no person is awaited. */
      readonly final: boolean;
      /** The order is another batch's: its money is counted there as well. */
      readonly elsewhere: boolean;
      /** Nobody knows whether its money moved. */
      readonly inDoubt: boolean;
      readonly entry?: OrderView;
      /** In the place of the order's own failure. */
      readonly failure?: Failure;
    };

/** The ledger's records of a row. */
export interface RowRecord {
  readonly entry?: OrderView;
  /** There is an entry, written by newer code. */
  readonly unreadable?: boolean;
  readonly note?: RowNote;
}

const endOf: Readonly<Record<OrderState, RowEnd | undefined>> = {
  submitting: undefined,
  verifying: undefined,
  retryable: undefined,
  'in-doubt': undefined,
  held: 'held',
  accepted: 'accepted',
  approved: 'approved',
  declined: 'declined',
  failed: 'failed',
  cancelled: 'cancelled',
};

/** The state of the row in batch `batchId`. */
export function rowStatusOf(row: BatchRow, batchId: string, { entry, unreadable, note }: RowRecord): RowStatus {
  if (unreadable) return { kind: 'open', state: 'unreadable', inDoubt: false };
  // A message under this order id is never sent, so the row need not come to be judged.
  if (entry && isCancelledBeforehand(entry)) return ofOrder(entry, false);
  if (entry && isOwn(entry, row, batchId)) {
    // Two contents were sent under the batch and this order id, for the same amount; nothing here shows which of them
    // is the row's. If one of them is paid, that must not be reported as the row's payment; where none was sent, none is.
    const { failure } = note?.kind === 'refused' ? note : {};
    return failure?.code === 'ORDER_ID_REUSED' && entry.state !== 'cancelled'
      ? { kind: 'ended', end: 'held', final: false, elsewhere: false, inDoubt: true, entry, failure }
      : ofOrder(entry, false);
  }
  if (note?.kind === 'refused' && note.failure.code === 'CALLED_OFF')
    return { kind: 'ended', end: 'cancelled', final: true, elsewhere: false, inDoubt: false };
  if (note?.kind === 'refused')
    return { kind: 'ended', end: 'failed', final: true, elsewhere: false, inDoubt: false, failure: note.failure };
  if (note && entry) return ofOrder(entry, true);
  return { kind: 'open', state: 'waiting', inDoubt: false };
}

function isOwn(entry: OrderView, { money }: BatchRow, batchId: string): boolean {
  return (
    entry.batchId === batchId &&
    entry.money?.currency === money?.currency &&
    entry.money?.minorUnits === money?.minorUnits
  );
}

function ofOrder(entry: OrderView, elsewhere: boolean): RowStatus {
  const end = isCheckedWell(entry) ? 'checked' : endOf[entry.state];
  const inDoubt = hasMoneyInDoubt(entry);
  if (end) return { kind: 'ended', end, final: entry.final, elsewhere, inDoubt, entry };
  return { kind: 'open', state: openStateOf(entry.state), inDoubt, entry };
}

/** A check that the gateway took, or answered well: no money moves by it. */
function isCheckedWell(entry: OrderView): boolean {
  if (operations[entry.operation].movesMoney) return false;
  return entry.state === 'accepted' || entry.state === 'approved';
}

function openStateOf(state: OrderState): OpenRowState {
  return state === 'submitting' || state === 'retryable' || state === 'in-doubt' ? state : 'waiting';
}

/** The ledger's records of rows. */
export interface BatchRows {
  /** The records by order key; keys without one are left out. May lag behind a moment, unless it is to be consistent. */
  read(
    batchId: string,
    rows: readonly BatchRow[],
    how?: { readonly consistent: boolean },
  ): Promise<ReadonlyMap<string, RowRecord>>;
}

/** A change, and since when it waits for its batches to be counted anew. */
export interface AnnouncedChange extends OrderChange {
  readonly announcedAtMs: number;
}

/** The present state of an announced order, and its batches. */
export interface ChangedOrder {
  /** The revision of its entry; absent where there is none that this version can read. */
  readonly revision?: number;
  /** The batches in which a row was noted as being this order, beside the one that the order bears. */
  readonly elsewhere: readonly string[];
}

/** Announced changes, as the sweeper works them off. */
export interface OrderChanges extends ChangeAnnouncing {
  /** The changes that wait and are due before the moment, the longest due first. May lag behind. */
  announced(beforeMs: number): AsyncIterable<AnnouncedChange>;
  /** The orders by order key; sees every earlier write. */
  changed(orderKeys: readonly string[]): Promise<ReadonlyMap<string, ChangedOrder>>;
  /** The batches of this change have been counted since it was made; a change that was announced once more meanwhile waits on. */
  counted(change: AnnouncedChange): Promise<void>;
  /** The change has not been made (yet): look again then. */
  waitFor(change: OrderChange, untilMs: number): Promise<void>;
}
