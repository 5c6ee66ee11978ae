// What a deployment would change, beside what is deployed: parameters, then resources. A person reads it before it ships.

/** A template as far as a comparison goes. */
export interface ComparedTemplate {
  readonly Metadata?: {
    readonly Payouts?: { readonly Commit?: string; readonly Parameters?: Readonly<Record<string, unknown>> };
  };
  readonly Resources: Readonly<Record<string, { readonly Type: string }>>;
}

/** What would change, a line each, and what of it needs a person's word. */
export interface DeploymentDifference {
  readonly lines: readonly string[];
  readonly asks: readonly string[];
}

/** Changes of these cost a look at most; every other parameter moves money, or decides what is remembered of it. */
const harmless = new Set([
  'logRetentionDays',
  'tracing',
  'operatorEmail',
  'ticketEmail',
  'callbackConcurrency',
  'tags',
]);

/** The difference; of a stage that is not there yet, that it is new. */
export function differenceOf(present: ComparedTemplate | undefined, next: ComparedTemplate): DeploymentDifference {
  const commit = next.Metadata?.Payouts?.Commit ?? 'unknown';
  if (!present) {
    const count = Object.keys(next.Resources).length;
    return { lines: [`a new stack of ${count} resources, commit ${commit}`], asks: [] };
  }
  const parameters = changesOf(present.Metadata?.Payouts?.Parameters ?? {}, next.Metadata?.Payouts?.Parameters ?? {});
  // A stack of before parameters were written down says none of them: then each is told, and asked about.
  const told = parameters.map(({ name, from, to }) => `parameter ${name}: ${shown(from)} -> ${shown(to)}`);
  const asked = told.filter((_, index) => !harmless.has(parameters[index]?.name ?? ''));
  const resources = changesOf(unversioned(present.Resources), unversioned(next.Resources)).map(({ name, from, to }) => {
    if (from === undefined) return { line: `+ ${name}`, isLoss: false };
    if (to === undefined) return { line: `- ${name}`, isLoss: true };
    return { line: `~ ${name}: ${pathsOf(from, to).join(', ')}`, isLoss: false };
  });
  const before = present.Metadata?.Payouts?.Commit ?? 'unknown';
  return {
    lines: [`commit ${before} -> ${commit}`, ...told, ...resources.map(({ line }) => line)],
    asks: [...asked, ...resources.filter(({ isLoss }) => isLoss).map(({ line }) => line)],
  };
}

/**
 * The template as it would be with the stack's own ledger in the place of a restored one, which its parameters name: the doctor
 * calls any other table foreign, rightly, and would keep a restored ledger from ever being taken into service. Where name and
 * ARN are not those of one table, the template as it is.
 */
export function withOwnLedger(template: string): string {
  const { Metadata } = JSON.parse(template) as ComparedTemplate;
  const { ledgerTable: name, ledgerTableArn: arn } = Metadata?.Payouts?.Parameters ?? {};
  if (typeof name !== 'string' || typeof arn !== 'string' || !arn.endsWith(`:table/${name}`)) return template;
  return template
    .replaceAll(JSON.stringify(arn), '{"Fn::GetAtt":["LedgerTable","Arn"]}')
    .replaceAll(JSON.stringify(name), '{"Ref":"LedgerTable"}');
}

interface Change {
  readonly name: string;
  readonly from: unknown;
  readonly to: unknown;
}

function changesOf(from: Readonly<Record<string, unknown>>, to: Readonly<Record<string, unknown>>): readonly Change[] {
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])];
  return names
    .filter((name) => textOf(from[name]) !== textOf(to[name]))
    .map((name) => ({ name, from: from[name], to: to[name] }));
}

/** CloudFormation knows texts alone: a number and a boolean are what they are written as, wherever they stand. */
const textOf = (value: unknown): string | undefined =>
  JSON.stringify(value, (_, it: unknown) => (typeof it === 'number' || typeof it === 'boolean' ? String(it) : it));

/** The properties that differ, two names deep: `Properties.Environment`. */
function pathsOf(from: unknown, to: unknown): readonly string[] {
  return changesOf(recordOf(from), recordOf(to)).flatMap(({ name, from: before, to: after }) =>
    name === 'Properties' ? changesOf(recordOf(before), recordOf(after)).map((it) => it.name) : [name],
  );
}

/** Without what is another with each build: versions, where the code lies, which commit it is. */
function unversioned(resources: ComparedTemplate['Resources']): Readonly<Record<string, unknown>> {
  const left = Object.entries(resources).filter(([, { Type }]) => !/^AWS::Lambda::(Version|Alias)$/.test(Type));
  return Object.fromEntries(
    left.map(([id, it]) => {
      if (it.Type !== 'AWS::Lambda::Function') return [id, { ...it, DependsOn: undefined }];
      const { S3Key: _, ...code } = recordOf(recordOf(recordOf(it)['Properties'])['Code']);
      return [
        id,
        { ...it, Properties: { ...recordOf(recordOf(it)['Properties']), Code: code, Description: undefined } },
      ];
    }),
  );
}

const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};

const shown = (value: unknown): string => (value === undefined || value === '' ? 'none' : JSON.stringify(value));
