// Layouts of tables: what the columns of a person's files are called, kept in a file.
import { readFileSync, writeFileSync } from 'node:fs';
import * as v from 'valibot';
import type { Decimal } from '../../batches/bulk-row.ts';
import { codeOfError, unwritable } from '../file-failure.ts';
import { UsageError } from '../usage-error.ts';

/** The names of a table's columns. */
interface Layout {
  /** Column to field, where the file has that column. */
  readonly map: Readonly<Record<string, string>>;
  readonly ignore: readonly string[];
  /** Columns of which nothing is known are left out. */
  readonly ignoreOthers: boolean;
  readonly decimal: Decimal;
}

const layoutSchema = v.strictObject({
  map: v.optional(v.record(v.string(), v.string()), {}),
  ignore: v.optional(v.array(v.string()), []),
  ignoreOthers: v.optional(v.boolean(), false),
  decimal: v.optional(v.picklist(['dot', 'comma']), 'dot'),
});

/** Where a layout is kept: in the present folder, unless its name is a path. */
const layoutFile = (name: string): string => (/[./\\]/.test(name) ? name : `${name}.layout.json`);

/** The layout of this name. Throws UsageError where there is none. */
export function layoutOf(name: string): Layout {
  const file = layoutFile(name);
  try {
    return v.parse(layoutSchema, JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    if (codeOfError(error) === 'ENOENT')
      throw new UsageError(`there is no layout ${name}: ${file} is not there; --save-layout makes it`);
    throw new UsageError(
      `${file} is no layout; write {"map": {"Column": "field"}, "ignore": [], "ignoreOthers": true, "decimal": "comma"}`,
    );
  }
}

/** Keeps a layout under a name; answers with the file. Throws UsageError where that can't be. */
export function saveLayout(name: string, { map, ignore, ignoreOthers, decimal }: Layout): string {
  const file = layoutFile(name);
  try {
    writeFileSync(file, `${JSON.stringify({ map, ignore, ignoreOthers, decimal }, undefined, 2)}\n`);
  } catch (error) {
    throw unwritable(file, error);
  }
  return file;
}
