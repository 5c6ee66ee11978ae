// How a file is read: all that a person says of it. Kept in the header of its batch, so that whoever approves, reports or retries reads
// the file as it was read when it was registered.
import * as v from 'valibot';
import { fileFormats } from './bulk-format.ts';

/** The names that are the same for every row, and the form of the file. A layout that is kept in a file has the same fields. */
export const fileReadingSchema = v.strictObject({
  merchant: v.exactOptional(v.string()),
  operation: v.exactOptional(v.string()),
  endpoint: v.exactOptional(v.string()),
  format: v.exactOptional(v.picklist(fileFormats)),
  /** Of a workbook: the sheet with the rows. */
  sheet: v.exactOptional(v.string()),
  /** The separator of whole numbers and cents in all amounts: said, and never guessed. */
  decimal: v.exactOptional(v.picklist(['dot', 'comma'])),
  /** Field by title, or by a column's place from 1; an empty one is left out. Of pain.001: by element. */
  columns: v.exactOptional(v.record(v.string(), v.string())),
});

/** How a file is read; empty where it says all by itself. */
export type FileReading = v.InferOutput<typeof fileReadingSchema>;
