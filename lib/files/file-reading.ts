// How a file is read: all that a person says of it. Kept in the header of its batch, so that who approves, reports or retries reads
// the file as it was read when it was registered.

/** The names that are the same for every row, and the form of the file; empty if the file says all by itself. */
export interface FileReading {
  readonly merchant?: string;
  readonly operation?: string;
  readonly endpoint?: string;
  /** Of a workbook: the sheet with the rows. */
  readonly sheet?: string;
  /** The separator of whole numbers and cents in all amounts: given, and never guessed. */
  readonly decimal?: 'dot' | 'comma';
  /** Field by title, or by a column's place from 1; an empty one is left out. Of pain.001: by element. */
  readonly columns?: Readonly<Record<string, string>>;
}
