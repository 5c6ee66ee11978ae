// The fragments of infra/ as they are written, read without packaging anything: a stage's name filled in, the rest of
// CloudFormation's functions left standing.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** One resource of a fragment. */
export interface FragmentResource {
  readonly Type: string;
  readonly Condition?: string;
  readonly Properties: Readonly<Record<string, unknown>>;
}

/** The stage that tests look at. */
export const stage = 'prod';

const textOf = (name: string) =>
  readFileSync(new URL(`../../infra/${name}`, import.meta.url), 'utf8').replaceAll('${sls:stage}', stage);

type Resources = Readonly<Record<string, FragmentResource>>;

/** Those that were read: the fragment of alarms takes a while, and many files ask for it. */
const read = new Map<string, Resources>();

/** The resources of a fragment by logical id. */
export function resourcesOf(name: string): Resources {
  const known = read.get(name);
  if (known) return known;
  const { Resources } = parse(textOf(name)) as { readonly Resources: Resources };
  read.set(name, Resources);
  return Resources;
}

/** Those of one type. */
export function ofType(name: string, type: string): [logicalId: string, properties: FragmentResource['Properties']][] {
  return Object.entries(resourcesOf(name)).flatMap(([id, it]) => (it.Type === type ? [[id, it.Properties]] : []));
}
