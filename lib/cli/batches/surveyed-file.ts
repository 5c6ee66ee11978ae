// What is known of a file once it was read from its first row to its last.
import type { CheckedRow } from '../../batches/check-rows.ts';
import type { Survey } from '../../batches/survey-rows.ts';

/** A file that was read once. */
export interface SurveyedFile {
  readonly name: string;
  readonly batchId: string;
  /** SHA-256 of its bytes, hexadecimal. */
  readonly fileHash: string;
  readonly survey: Survey;
  /** Reads it again, from the first row, to the same rows. */
  readonly readAgain: () => AsyncIterable<readonly CheckedRow[]>;
}
