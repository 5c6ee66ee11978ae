// The changes of a deployment to the deployed stack: parameters, then resources. A person reads them before it ships.

/** The part of a template that is compared. */
export interface ComparedTemplate {
  readonly Metadata?: { readonly Payouts?: { readonly Commit?: string } };
  readonly Resources: Readonly<Record<string, { readonly Type: string }>>;
}

/** A template and the values of its parameters. */
interface Compared {
  readonly template: ComparedTemplate;
  readonly values: Readonly<Record<string, string>>;
}

/** The changes, a line each, and those of them that a person must confirm. */
export interface DeploymentDifference {
  readonly lines: readonly string[];
  readonly asks: readonly string[];
}

/** Changes of these cost a look at most; every other parameter moves money, or decides what is kept of it. */
const harmless = new Set(['LogRetentionDays', 'OperatorEmail', 'TicketEmail', 'CallbackConcurrency', 'CodePrefix']);
/** Parameters with another value in each deployment. */
const passing = new Set(['Release']);

/** The difference; for a stage that is not there yet, that it is new. */
export function differenceOf(present: Compared | undefined, next: Compared): DeploymentDifference {
  const commit = commitIn(next);
  if (!present) {
    const count = Object.keys(next.template.Resources).length;
    return { lines: [`a new stack of ${count} resources, commit ${commit}`], asks: [] };
  }
  const parameters = changesOf(present.values, next.values).filter(({ name }) => !passing.has(name));
  const told = parameters.map(({ name, from, to }) => `parameter ${name}: ${shown(from)} -> ${shown(to)}`);
  const asked = told.filter((_, index) => !harmless.has(parameters[index]?.name ?? ''));
  const [before, after] = [unversioned(present.template.Resources), unversioned(next.template.Resources)];
  const resources = changesOf(before, after).map(({ name, from, to }) => {
    if (from === undefined) return { line: `+ ${name}`, isLoss: false };
    if (to === undefined) return { line: `- ${name}`, isLoss: true };
    return { line: `~ ${name}: ${pathsOf(from, to).join(', ')}`, isLoss: false };
  });
  return {
    lines: [`commit ${commitIn(present)} -> ${commit}`, ...told, ...resources.map(({ line }) => line)],
    asks: [...asked, ...resources.filter(({ isLoss }) => isLoss).map(({ line }) => line)],
  };
}

const commitIn = ({ template }: Compared): string => template.Metadata?.Payouts?.Commit ?? 'unknown';

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

/** CloudFormation knows texts alone: a number and a boolean are compared as text, on any level. */
const textOf = (value: unknown): string | undefined =>
  JSON.stringify(value, (_, it: unknown) => (typeof it === 'number' || typeof it === 'boolean' ? String(it) : it));

/** The properties that differ, two names deep: `Properties.Environment`. */
function pathsOf(from: unknown, to: unknown): readonly string[] {
  return changesOf(recordOf(from), recordOf(to)).flatMap(({ name, from: before, to: after }) =>
    name === 'Properties' ? changesOf(recordOf(before), recordOf(after)).map((it) => it.name) : [name],
  );
}

/** The resources without the parts that differ in each build: versions, the name of the zip, the commit. */
function unversioned(resources: ComparedTemplate['Resources']): Readonly<Record<string, unknown>> {
  const left = Object.entries(resources).filter(([, { Type }]) => !/^AWS::Lambda::(Version|Alias)$/.test(Type));
  return Object.fromEntries(
    left.map(([id, it]) => {
      if (it.Type !== 'AWS::Lambda::Function') return [id, { ...it, DependsOn: undefined }];
      const { Code: _, Description: __, ...properties } = recordOf(recordOf(it)['Properties']);
      return [id, { ...it, Properties: properties }];
    }),
  );
}

const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};

const shown = (value: unknown): string => (value === undefined || value === '' ? 'none' : JSON.stringify(value));
