// The findings of a row before it is sent: faults, for which it is refused, and warnings, which a person must confirm.
import type { FieldPath } from './bulk-columns.ts';

/** The fault of a row, and its remedy. Never contains a value. */
export interface RowFault {
  /** The field of the job; empty if the whole row is meant. */
  readonly path: FieldPath;
  readonly fault: string;
}

/** The subjects of warnings; a command-line option can confirm some of them alone. */
export const warningKinds = [
  'duplicate',
  'earlier',
  'cap',
  'country',
  'bank',
  'account',
  'card',
  'hidden',
  'debtor',
  'past',
  'sent',
  'ended',
  'other-content',
  'not-checked',
] as const;

/** One of {@link warningKinds}. */
export type WarningKind = (typeof warningKinds)[number];

/** A value that may be right and is unlikely. Never contains the value. */
export interface RowWarning {
  readonly kind: WarningKind;
  /** The field of the job; empty if the whole row is meant. */
  readonly path: FieldPath;
  readonly warning: string;
}

/** The form of a column's values by its own title. */
export type ValueForm = 'iban' | 'bic';

/** One finding. */
export type RowFinding = RowFault | RowWarning;
