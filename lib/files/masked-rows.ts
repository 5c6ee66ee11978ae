// Rows on their way into a file of rejects: the same rows, without card data. An account number stays, as
// the row is of no use without it and it is no card data, unless it is a card's number.
import { allFields } from '../gateway/fields.ts';
import { isCardAccount, withoutCardData } from '../gateway/redact.ts';
import type { Column } from './bulk-columns.ts';

function maskedValue(name: string, value: string): string {
  const field = allFields[name];
  if (field?.card === 'number') return `***${value.replace(/\D/g, '').slice(12).slice(-4)}`;
  if (field?.card) return '***';
  // No card's number is that long, though a quarter of these hold what looks like one.
  if (/^\d{20,}$/.test(value)) return value;
  // It is what has to be corrected: an IBAN with a wrong digit is no card, and a row without its account is of no use.
  if (field?.bankAccount && !isCardAccount(value)) return value;
  // A card number can be in any cell, by a slip of the file's author.
  return withoutCardData(value, '***');
}

/** The cells of a row, one for each column; empty if they can't be matched to columns. */
export function maskedCells(cells: unknown, columns: readonly Column[]): string[] {
  const known = Array.isArray(cells) ? cells : [];
  return columns.map(({ path }, index) => {
    const value = String(known[index] ?? '');
    return value === '' ? '' : maskedValue((path ?? '').replace(/^params\./, ''), value);
  });
}

/** A message, its params masked by their names and every other text by its look. */
export function maskedMessage(message: unknown): Readonly<Record<string, unknown>> {
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return {};
  return Object.fromEntries(
    Object.entries(message).map(([name, value]) => [maskedName(name), maskedDeep(name, value)]),
  );
}

/** A text in the place of a name is treated like any other. */
const maskedName = (name: string) => withoutCardData(name, '***');

function maskedDeep(name: string, value: unknown): unknown {
  if (typeof value === 'string' || typeof value === 'number') return maskedValue(name, String(value));
  if (Array.isArray(value)) return value.map((it) => maskedDeep(name, it));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, it]) => [maskedName(key), maskedDeep(key, it)]));
}
