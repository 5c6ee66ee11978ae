// A job's params against the table of operations: which fields are wrong, and how to mend them.
import { fieldFault } from '../gateway/fields.ts';
import { parseAmount } from '../gateway/money.ts';
import type { Operation } from '../gateway/operations.ts';

/** What is wrong with one field, and how to mend it. Never contains the field's value: it may be a card number. */
export interface Fault {
  readonly field: string;
  readonly fault: string;
}

/** Every fault of the params. */
export function paramFaults(operation: Operation, params: Readonly<Record<string, unknown>>): Fault[] {
  const faults: Fault[] = [];
  for (const field of Object.keys(params)) {
    const fault = paramFault(operation, field, params[field]);
    if (fault !== undefined) faults.push({ field: `params.${printable(field)}`, fault });
  }
  for (const field of operation.required) {
    if (!Object.hasOwn(params, field)) {
      faults.push({ field: `params.${field}`, fault: `is missing; ${operation.name} needs it` });
    }
  }
  return faults.length > 0 ? faults : amountFaults(params);
}

function amountFaults({ amount, currency = '' }: Readonly<Record<string, unknown>>): Fault[] {
  const parsed = amount === undefined ? undefined : parseAmount(String(amount).trim(), String(currency).trim());
  return parsed?.kind === 'fault' ? [{ field: 'params.amount', fault: parsed.fault }] : [];
}

function paramFault(operation: Operation, name: string, value: unknown): string | undefined {
  const field = Object.hasOwn(operation.fields, name) ? operation.fields[name] : undefined;
  if (!field) return `is not a field of ${operation.name}; ${fieldHint(operation, name)}`;
  if (typeof value !== 'string') return 'is not text; write every value as a string, amounts too';
  return fieldFault(field, value.trim());
}

function fieldHint(operation: Operation, name: string): string {
  if (/^client[-_]order[-_]?id$/i.test(name)) return 'the order identifier is the message\'s "orderId"';
  const alike = Object.keys(operation.fields).find((it) => letters(it) === letters(name));
  return alike ? `did you mean "${alike}"?` : `it takes ${Object.keys(operation.fields).join(', ')}`;
}

const letters = (name: string) => name.replace(/[^a-z0-9]/gi, '').toLowerCase();

/** A name from outside may be anything, a card or account number pasted in the wrong place included. */
export function printable(name: string): string {
  return /^[A-Za-z_-][A-Za-z0-9_-]{0,63}$/.test(name) && !/\d{4}/.test(name) ? name : '(unprintable name)';
}

/** The params of a job without faults, without the blanks around them. */
export function trimmed(params: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value).trim()]));
}
