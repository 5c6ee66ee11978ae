// The command line of `npm run package` and `npm run deploy`, with what a stage has written down for good: the parameters in
// infra/stages/<stage>.yml, one file a stage, checked in or kept private.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** infra/parameters.yml as read. */
export type StageParameters = Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;

/** The value of `--name value` or `--name=value`. */
export function optionOf(args: readonly string[], name: string): string | undefined {
  const at = args.findIndex((it) => it === `--${name}` || it.startsWith(`--${name}=`));
  const [, joined] = args[at]?.split('=') ?? [];
  return at < 0 ? undefined : (joined ?? args[at + 1]);
}

/** The stage that they are about. */
export const stageOf = (args: readonly string[]): string => optionOf(args, 'stage') ?? 'dev';

/** infra/parameters.yml. */
export const readParameters = (): StageParameters =>
  parse(readFileSync(join(import.meta.dirname, 'parameters.yml'), 'utf8')) as StageParameters;

/** What the stage's own file says; undefined where it has none. */
export function readStageFile(stage: string): unknown {
  const file = join(import.meta.dirname, 'stages', `${stage}.yml`);
  return existsSync(file) ? parse(readFileSync(file, 'utf8')) : undefined;
}

/**
 * The arguments with the stage's own parameters; what is said on the command line goes before them. Throws, naming the parameter,
 * where the file says what no stack has.
 */
export function remembered(args: readonly string[], stageFile: unknown, known: StageParameters): readonly string[] {
  if (stageFile === undefined || stageFile === null) return args;
  const name = `infra/stages/${stageOf(args)}.yml`;
  if (typeof stageFile !== 'object' || Array.isArray(stageFile)) throw new Error(`${name} is no list of name: value`);
  const params = Object.entries(stageFile).flatMap(([parameter, value]) => {
    if (!(parameter in (known['default'] ?? {}))) throw new Error(`${name}: there is no parameter ${parameter}`);
    if (typeof value === 'object') throw new Error(`${name}: ${parameter} must be a text, a number or a boolean`);
    const isSaid = args.some((it) => it.replace(/^--param=/, '').startsWith(`${parameter}=`));
    return isSaid ? [] : ['--param', `${parameter}=${String(value)}`];
  });
  return [...args, ...params];
}

const tag = /^([\p{L}\p{N} _.:/+@-]{1,128})=([\p{L}\p{N} _.:/=+@-]{0,256})$/u;

/** Tags by `name=value,name=value`; a sentence where one is none, as CloudFormation would refuse it half way. */
export function stackTags(said: string): Readonly<Record<string, string>> | string {
  const pairs = said === '' ? [] : said.split(',').map((it) => it.trim());
  const odd = pairs.find((it) => !tag.test(it) || /^aws:/i.test(it));
  if (odd !== undefined) return `tags: "${odd}" is no name=value that AWS takes`;
  return Object.fromEntries(pairs.map((it) => [it.slice(0, it.indexOf('=')), it.slice(it.indexOf('=') + 1)]));
}
