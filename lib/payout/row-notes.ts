// What jobs of a batch note of rows whose end no order tells; whoever reads batches reads it.
import type { Failure } from './failures.ts';

/** How a job of a batch ended, where no order of the batch says it. */
export type RowNote =
  /** It was not taken: the message was no valid job, or its order id was used before for other content. */
  | { readonly kind: 'refused'; readonly failure: Failure }
  /** The same content was asked for before, by another batch or by none; that order is the row's as well. */
  | { readonly kind: 'elsewhere' };

/** What jobs of a batch leave behind where no order of the batch says how they ended. */
export interface RowNotes {
  /**
   * Notes the end of the row that asked for this order. The first note stands, save that `elsewhere` goes over `refused`:
   * a job that was taken after all. A note that may change how a row has ended is announced.
   */
  note(batchId: string, orderKey: string, note: RowNote): Promise<void>;
}
