// What is found of a row before it is sent: faults, for which it is refused, and warnings, for which a person must give a word.
import type { FieldPath } from './bulk-columns.ts';

/** What is wrong with a row, and how to mend it. Never contains a value. */
export interface RowFault {
  /** The field of the job; empty where the whole row is meant. */
  readonly path: FieldPath;
  readonly fault: string;
}

/** What a warning is about; a word on the command line can be given for some of them alone. */
export const warningKinds = [
  'duplicate',
  'earlier',
  'cap',
  'balance',
  'country',
  'bank',
  'account',
  'card',
  'line-break',
  'hidden',
  'sent',
  'ended',
  'other-content',
  'not-checked',
] as const;

/** One of {@link warningKinds}. */
export type WarningKind = (typeof warningKinds)[number];

/** What may be right and is unlikely. Never contains a value. */
export interface RowWarning {
  readonly kind: WarningKind;
  /** The field of the job; empty where the whole row is meant. */
  readonly path: FieldPath;
  readonly warning: string;
}

/** What a column says of its values by its own title. */
export type ValueForm = 'iban' | 'bic';

/** One finding, on its way into a list. */
export type RowFinding = ({ readonly severity: 'fault' } & RowFault) | ({ readonly severity: 'warning' } & RowWarning);
