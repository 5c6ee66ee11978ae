// The tables of README and runbook, made from the code: `npm run docs` writes them, test/docs compares them.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { jobFields } from '../../lib/payout/job-message.ts';
import { limitSettings, textSettings } from '../../lib/aws/env-config.ts';
import { envelopeColumns, paramColumns } from '../../lib/batches/bulk-columns.ts';
import { figures, moneyMetrics } from '../../lib/payout/metrics.ts';
import { failureCodes } from '../../lib/payout/failures.ts';
import { gatewayStatuses, reportFields } from '../../lib/gateway/gateway-report.ts';
import { defaultLimits } from '../../lib/payout/limits.ts';
import { logEvents, logFields } from '../../lib/payout/log-fields.ts';
import type { Field } from '../../lib/gateway/fields.ts';
import { operations } from '../../lib/gateway/operations.ts';
import { outcomeTable } from '../../lib/gateway/outcome.ts';
import { defaultProfile, profileSchema } from '../../lib/gateway/profile.ts';
import { redriveClasses } from '../../lib/dead-letters/redrive.ts';
import { agrees, type ReconcileClass, reconcileClasses } from '../../lib/reconcile/reconcile-classes.ts';
import { reportColumns } from '../../lib/batches/report-row.ts';

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
  return [
    ...texts.map(([name, it]) => [code(name), it.default === undefined ? 'required' : code(it.default), it.meaning]),
    ...Object.entries(limitSettings).map(([name, it]) => [code(name), String(defaultLimits[it.limit]), it.meaning]),
  ];
}

function figureRows(table: typeof figures | typeof moneyMetrics): Table {
  return Object.entries(table).map(([name, { unit, by, meaning }]) => [code(name), unit, by, meaning]);
}

function columnRows(): Table {
  return Object.entries({ ...envelopeColumns, ...paramColumns })
    .filter(([, names]) => names.length > 0)
    .map(([field, names]) => [code(field), names.map(code).join(', ')]);
}

/** Parameters of a stage, from infra/parameters.yml: the comment above one is its meaning. */
function parameterRows(): Table {
  const text = readFileSync(new URL('../../infra/parameters.yml', import.meta.url), 'utf8');
  const stages = parse(text) as Record<string, Record<string, unknown>>;
  const meanings = new Map(
    [...text.matchAll(/^ {2}# (.*)\n {2}(\w+):/gm)].map(([, meaning = '', name]) => [name, meaning]),
  );
  const shown = (value: unknown) => {
    if (typeof value === 'object') return "that of the stack's own table";
    return value === '' ? 'none' : code(String(value).replace('${sls:stage}', '<stage>'));
  };
  return Object.entries(stages['default'] ?? {}).map(([name, value]) => {
    const own = Object.entries(stages).filter(([stage, values]) => stage !== 'default' && name in values);
    const others = own.map(([stage, values]) => `, ${stage} ${shown(values[name])}`);
    return [code(name), shown(value) + others.join(''), meanings.get(name) ?? ''];
  });
}

function cardRows(): Table {
  return Object.values(operations).map(({ name, fields }) => {
    const named = (fits: (field: Field) => boolean) =>
      Object.entries<Field>(fields)
        .filter(([, field]) => fits(field))
        .map(([field]) => code(field))
        .join(', ') || '–';
    return [
      code(name),
      named(({ card, singleUse }) => card === 'number' || singleUse === true),
      named(({ card }) => card === 'detail'),
      named(({ singleUse }) => singleUse === true),
    ];
  });
}

/** The rows of each generated table by its name in the README. */
const readmeTables: Readonly<Record<string, () => Table>> = {
  columns: columnRows,
  'job fields': jobFieldRows,
  operations: operationRows,
  cards: cardRows,
  failures: () => Object.entries(failureCodes).map(([name, meaning]) => [code(name), meaning]),
  outcomes: () => outcomeTable.map((row) => [row.name, row.says]),
  profile: profileRows,
  settings: settingRows,
  parameters: parameterRows,
};

function classRows(): Table {
  const rows = Object.entries(reconcileClasses) as [ReconcileClass, { readonly meaning: string }][];
  return rows.map(([name, { meaning }]) => [code(name), agrees(name) ? 'yes' : 'no', meaning]);
}

/** The same of the runbook. */
const runbookTables: Readonly<Record<string, () => Table>> = {
  'redrive-classes': () =>
    Object.entries(redriveClasses).map(([name, { says, moves }]) => [code(name), says, moves ? 'yes' : 'no']),
  figures: () => figureRows(figures),
  'money-figures': () => figureRows(moneyMetrics),
  'log-fields': () => Object.entries(logFields).map(([name, { meaning }]) => [code(name), meaning]),
  'report-columns': () => Object.entries(reportColumns).map(([name, meaning]) => [code(name), meaning]),
  'report-fields': () =>
    Object.entries(reportFields).map(([name, others]) => [code(name), others.map(code).join(', ')]),
  'gateway-statuses': () => Object.entries(gatewayStatuses).map(([name, meaning]) => [code(name), meaning]),
  'reconcile-classes': classRows,
  'log-events': () => Object.entries(logEvents).map(([name, meaning]) => [code(name), meaning]),
};

/** The files that hold generated tables, each with the text that it must have. */
export const documents: readonly { readonly file: string; readonly withTables: (text: string) => string }[] = [
  { file: 'README.md', withTables: (text) => filled(text, readmeTables) },
  { file: 'infra/RUNBOOK.md', withTables: (text) => filled(text, runbookTables) },
];

/** The document with every generated table as the code has it now. */
function filled(document: string, tables: Readonly<Record<string, () => Table>>): string {
  let text = document;
  for (const [name, rows] of Object.entries(tables)) {
    const lines = rows().map((cells) => `| ${cells.join(' | ')} |`);
    const block = new RegExp(`((?:\\|[^\\n]*\\n){2})(?:\\|[^\\n]*\\n)*<!-- ${name} -->`);
    if (!block.test(text)) throw new Error(`no table is marked <!-- ${name} -->`);
    text = text.replace(block, (_all, head: string) => `${head}${lines.join('\n')}\n<!-- ${name} -->`);
  }
  return text;
}
