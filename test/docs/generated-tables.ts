// The tables of the pages, made from the code: `npm run docs` writes them, test/docs compares them.
import { jobFields } from '../../lib/payout/message/job-fields.ts';
import { limitSettings, textSettings } from '../../lib/aws/env-config.ts';
import { envelopeColumns, paramColumns } from '../../lib/files/bulk-columns.ts';
import { failureCodes } from '../../lib/payout/message/failures.ts';
import { defaultLimits } from '../../lib/payout/limits.ts';
import { logEvents } from '../../lib/payout/log-fields.ts';
import type { Field } from '../../lib/gateway/fields.ts';
import { operations } from '../../lib/gateway/operations.ts';
import { outcomeTable } from '../../lib/gateway/outcome.ts';
import { defaultProfile, profileSchema } from '../../lib/gateway/profile.ts';
import { redriveClasses } from '../../lib/dead-letters/judge-dead-letter.ts';
import { journalColumns } from '../../lib/reconcile/journal.ts';
import { reportColumns } from '../../lib/batches/batch-report.ts';
import { endRows, idleRows, payingRows } from '../bench/price-model.ts';
import { rightsRows } from '../rights/rights-table.ts';
import { actNames, actOf } from '../../lib/operate/acts.ts';
import { tool } from '../../lib/payout/operate/spelling.ts';
import { type Page, pages } from './pages.ts';

type Table = readonly (readonly string[])[];

const code = (text: string) => `\`${text}\``;

function operationRows(): Table {
  return Object.values(operations).map((it) => {
    const fields = Object.entries(it.fields).map(([name, field]) =>
      field.contractDependent ? `*${name}*` : code(name),
    );
    return [
      code(it.name),
      code(it.path),
      it.signatureMethod,
      code(it.orderIdField),
      it.movesMoney ? 'yes' : 'no',
      fields.join(', '),
    ];
  });
}

function profileRows(): Table {
  const defaults = new Map<string, unknown>(Object.entries(defaultProfile));
  return Object.entries(profileSchema.entries).map(([name, { wrapped }]) => [
    code(name),
    defaults.has(name) ? code(JSON.stringify(defaults.get(name))) : 'none',
    descriptionOf(wrapped),
  ]);
}

function jobFieldRows(): Table {
  return Object.entries(jobFields).map(([name, field]) =>
    'wrapped' in field ? [code(name), `optional: ${descriptionOf(field.wrapped)}`] : [code(name), descriptionOf(field)],
  );
}

function descriptionOf(schema: object): string {
  const pipe: readonly { type: string; description?: string }[] =
    'pipe' in schema && Array.isArray(schema.pipe) ? schema.pipe : [];
  return pipe.find((it) => it.type === 'description')?.description ?? '';
}

function settingRows(): Table {
  const texts = Object.entries<{ meaning: string; default?: string }>(textSettings);
  const shown = (value: string | undefined) =>
    value === undefined ? 'required' : value === '' ? 'unset' : code(value);
  return [
    ...texts.map(([name, it]) => [code(name), shown(it.default), it.meaning]),
    ...Object.entries(limitSettings).map(([name, it]) => [
      code(name),
      String(defaultLimits[it.limit] ?? 'unset'),
      it.meaning,
    ]),
  ];
}

function columnRows(): Table {
  return Object.entries({ ...envelopeColumns, ...paramColumns })
    .filter(([, names]) => names.length > 0)
    .map(([field, names]) => [code(field), names.map(code).join(', ')]);
}

function cardRows(): Table {
  return Object.values(operations).map(({ name, fields }) => {
    const named = (fits: (field: Field) => boolean) =>
      Object.entries<Field>(fields)
        .filter(([, field]) => fits(field))
        .map(([field]) => code(field))
        .join(', ') || '–';
    return [code(name), named(({ card }) => card !== undefined), named(({ singleUse }) => singleUse === true)];
  });
}

/** Each act of a person by its command, what it is, and what it does to the money. */
function actRows(): Table {
  return actNames.map(actOf).map(({ command, title, effect, fields }) => {
    const words = Object.entries(fields).flatMap(([name, { flag, optional }]) => {
      const value = name.replaceAll(/[A-Z]/g, (letter) => `-${letter}`).toUpperCase();
      if (flag === undefined) return [optional ? `[${value}]` : value];
      return optional ? [] : [`${flag} …`];
    });
    return [code([tool, command, ...words].join(' ')), `${title}.`, effect({})];
  });
}

/** The rows of each generated table by the name that marks it; a table is on one page. */
const tables: Readonly<Record<string, () => Table>> = {
  columns: columnRows,
  'job fields': jobFieldRows,
  operations: operationRows,
  cards: cardRows,
  failures: () => Object.entries(failureCodes).map(([name, meaning]) => [code(name), meaning]),
  outcomes: () => outcomeTable.map((row) => [row.name, row.says]),
  profile: profileRows,
  settings: settingRows,
  rights: rightsRows,
  acts: actRows,
  'redrive-classes': () =>
    Object.entries(redriveClasses).map(([name, { says, moves }]) => [code(name), says, moves ? 'yes' : 'no']),
  'journal-columns': () => Object.entries(journalColumns).map(([name, meaning]) => [code(name), meaning]),
  'report-columns': () => Object.entries(reportColumns).map(([name, meaning]) => [code(name), meaning]),
  'prices of sending': payingRows,
  'idle month': idleRows,
  'prices of ends': endRows,
  'log-events': () => Object.entries(logEvents).map(([name, meaning]) => [code(name), meaning]),
};

/** The names of all generated tables. */
export const tableNames: readonly string[] = Object.keys(tables);

/** The generated tables that a page bears, by name. */
export function tablesOn({ text }: Page): readonly string[] {
  return tableNames.filter((name) => text.includes(`<!-- ${name} -->`));
}

/** The page with each of its generated tables as the code has it now. */
export function withTables(page: Page): string {
  let { text } = page;
  for (const name of tablesOn(page)) {
    const lines = (tables[name]?.() ?? []).map((cells) => `| ${cells.join(' | ')} |`);
    const block = new RegExp(`((?:\\|[^\\n]*\\n){2})(?:\\|[^\\n]*\\n)*<!-- ${name} -->`);
    text = text.replace(block, (_all, head: string) => `${head}${lines.join('\n')}\n<!-- ${name} -->`);
  }
  return text;
}

/** The pages that bear generated tables. */
export const documents: readonly Page[] = pages.filter((page) => tablesOn(page).length > 0);
