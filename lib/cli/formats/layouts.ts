// Layouts of tables: what the columns of somebody's files are called, known by name or kept in a file of one's own.
import { readFileSync, writeFileSync } from 'node:fs';
import * as v from 'valibot';
import type { Decimal } from '../../batches/bulk-row.ts';
import type { RowFault } from '../../batches/row-findings.ts';
import { codeOfError, unwritable } from '../file-failure.ts';
import { UsageError } from '../usage-error.ts';

/** A layout's check of a row, by the titles of its cells; undefined where nothing is wrong. */
export type RowCheck = (cells: Readonly<Record<string, string>>) => RowFault | undefined;

/** The names of a table's columns. */
interface Layout {
  /** Column to field, where the file has that column. */
  readonly map: Readonly<Record<string, string>>;
  readonly ignore: readonly string[];
  /** Columns of which nothing is known are left out. */
  readonly ignoreOthers: boolean;
  readonly decimal: Decimal;
  readonly check?: RowCheck;
}

const base = { ignore: [], ignoreOthers: true, decimal: 'dot' } as const;

/** Layouts that need no file. */
const namedLayouts: Readonly<Record<string, Layout>> = {
  /** Wise, template "Send to bank accounts" (wise.com/help, "How do I fill in my batch template?"). */
  wise: {
    ...base,
    map: {
      name: 'payee_name',
      referenceNumber: 'orderId',
      paymentReference: 'order_desc',
      amount: 'amount',
      targetCurrency: 'currency',
      IBAN: 'account_number',
      accountNumber: 'account_number',
    },
    check({ amountCurrency, sourceCurrency, targetCurrency }) {
      if (amountCurrency !== 'source' || sourceCurrency === targetCurrency) return undefined;
      const fault = `is of ${sourceCurrency}, to be exchanged into ${targetCurrency}: nothing is exchanged here; write what the payee gets`;
      return { path: 'params.amount', fault };
    },
  },
  /** Adyen, "Received payment details report" (docs.adyen.com/reporting), with the payee's columns beside it. */
  adyen: {
    ...base,
    map: {
      'Merchant Reference': 'orderId',
      Currency: 'currency',
      Amount: 'amount',
      'Account Holder': 'payee_name',
      'Psp Reference': 'context.psp_reference',
    },
  },
};

const layoutSchema = v.strictObject({
  map: v.optional(v.record(v.string(), v.string()), {}),
  ignore: v.optional(v.array(v.string()), []),
  ignoreOthers: v.optional(v.boolean(), false),
  decimal: v.optional(v.picklist(['dot', 'comma']), 'dot'),
});

/** Where a layout of one's own is kept: in the present folder, unless its name is a path. */
const layoutFile = (name: string): string => (/[./\\]/.test(name) ? name : `${name}.layout.json`);

/** The layout of this name. Throws UsageError where there is none. */
export function layoutOf(name: string): Layout {
  const known = namedLayouts[name];
  if (known) return known;
  const file = layoutFile(name);
  try {
    return v.parse(layoutSchema, JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    if (codeOfError(error) === 'ENOENT') {
      const names = Object.keys(namedLayouts).join(', ');
      throw new UsageError(
        `there is no layout ${name}: ${names} are known, and ${file} is not there; --save-layout makes it`,
      );
    }
    throw new UsageError(
      `${file} is no layout; write {"map": {"Column": "field"}, "ignore": [], "ignoreOthers": true, "decimal": "comma"}`,
    );
  }
}

/** Keeps a layout under a name; answers with the file. Throws UsageError where that can't be. */
export function saveLayout(name: string, { map, ignore, ignoreOthers, decimal }: Layout): string {
  const file = layoutFile(name);
  if (namedLayouts[name]) throw new UsageError(`--save-layout ${name}: that name is taken; choose another`);
  try {
    writeFileSync(file, `${JSON.stringify({ map, ignore, ignoreOthers, decimal }, undefined, 2)}\n`);
  } catch (error) {
    throw unwritable(file, error);
  }
  return file;
}
