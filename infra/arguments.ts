// The choices of a stage: the values of infra/parameters.yml for every stage, of the stage's own block there, of its file
// infra/stages/<stage>.yml, checked in or kept private, and of the command line. The later wins over the earlier.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';

/** infra/parameters.yml as read. */
export type StageParameters = Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;

/** infra/parameters.yml. */
export const readParameters = (): StageParameters =>
  parse(readFileSync(join(import.meta.dirname, 'parameters.yml'), 'utf8')) as StageParameters;

/** The values of the stage's own file; undefined where it has none. */
export function readStageFile(stage: string): unknown {
  const file = join(import.meta.dirname, 'stages', `${stage}.yml`);
  return existsSync(file) ? parse(readFileSync(file, 'utf8')) : undefined;
}

/** A stage, and each parameter by its name in infra/parameters.yml. */
export interface Choices {
  readonly stage: string;
  readonly region: string;
  /** A person has agreed to all changes. */
  readonly isAgreed: boolean;
  readonly values: Readonly<Record<string, string>>;
}

/** Reads a command line. Throws, naming the parameter, where the stage or its file names a parameter that no stack has. */
export function choicesOf(
  args: readonly string[],
  known: StageParameters = readParameters(),
  stageFileOf: (stage: string) => unknown = readStageFile,
): Choices {
  const { values: said } = parseArgs({
    args: [...args],
    options: {
      stage: { type: 'string', default: 'dev' },
      region: { type: 'string', default: process.env['AWS_REGION'] ?? 'eu-central-1' },
      param: { type: 'string', multiple: true, default: [] },
      yes: { type: 'boolean', default: false },
    },
  });
  const { stage, region } = said;
  const named = said.param.map((it): readonly [string, string] => {
    const [, name, value] = /^(\w+)=(.*)$/s.exec(it) ?? [];
    if (name === undefined || value === undefined) throw new Error(`--param ${it} is no name=value`);
    if (!(name in (known['default'] ?? {}))) throw new Error(`there is no parameter ${name}: infra/parameters.yml`);
    return [name, value];
  });
  const values = {
    ...known['default'],
    ...known[stage],
    ...checkedFile(stage, stageFileOf(stage), known),
    ...Object.fromEntries(named),
  };
  const texts = Object.entries(values).map(([name, it]) => [name, String(it).replaceAll('<stage>', stage)] as const);
  return { stage, region, isAgreed: said.yes, values: Object.fromEntries(texts) };
}

function checkedFile(stage: string, file: unknown, known: StageParameters): Readonly<Record<string, unknown>> {
  if (file === undefined || file === null) return {};
  const name = `infra/stages/${stage}.yml`;
  if (typeof file !== 'object' || Array.isArray(file)) throw new Error(`${name} is no list of name: value`);
  for (const [parameter, value] of Object.entries(file)) {
    if (!(parameter in (known['default'] ?? {}))) throw new Error(`${name}: there is no parameter ${parameter}`);
    if (typeof value === 'object') throw new Error(`${name}: ${parameter} must be a text, a number or a boolean`);
  }
  return file as Readonly<Record<string, unknown>>;
}

const tag = /^([\p{L}\p{N} _.:/+@-]{1,128})=([\p{L}\p{N} _.:/=+@-]{0,256})$/u;

/** Tags by `name=value,name=value`; throws on any other text, as CloudFormation would refuse it half way. */
export function stackTags(said: string): Readonly<Record<string, string>> {
  const pairs = said === '' ? [] : said.split(',').map((it) => it.trim());
  const odd = pairs.find((it) => !tag.test(it) || /^aws:/i.test(it));
  if (odd !== undefined) throw new Error(`tags: "${odd}" is no name=value that AWS takes`);
  return Object.fromEntries(pairs.map((it) => [it.slice(0, it.indexOf('=')), it.slice(it.indexOf('=') + 1)]));
}

/** The reason why a stage can't be deployed with this `operatorEmail`; undefined where somebody receives its alarms. */
export function unheard({ stage, values }: Choices): string | undefined {
  const who = values['operatorEmail'] ?? '';
  const remedy = `give --param operatorEmail=<address>, or operatorEmail=elsewhere where PageTopic gets its subscribers another way; to say it once, write it into infra/stages/${stage}.yml`;
  if (who === '') return `nobody would hear the alarms of stage ${stage}: ${remedy}`;
  if (who === 'none' && stage.startsWith('prod'))
    return `a production stage can't do without somebody to tell: ${remedy}`;
  if (!/^(none|elsewhere|[^\s@]+@[^\s@]+)$/.test(who)) return `operatorEmail=${who} is no e-mail address: ${remedy}`;
  return undefined;
}
