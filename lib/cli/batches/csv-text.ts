// Rows as CSV text. A cell that a spreadsheet would take for a formula gets an apostrophe in front: text of these files
// comes from outside, and opening a report must not run it.
import { stringify } from 'csv-stringify/sync';

/** Rows as lines of CSV (RFC 4180, line feeds); empty text for no rows. */
export function csvText(rows: readonly (readonly (string | number | boolean | undefined)[])[]): string {
  return stringify(
    rows.map((row) => [...row]),
    { escape_formulas: true, cast: { boolean: String } },
  );
}
