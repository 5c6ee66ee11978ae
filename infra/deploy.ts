// `npm run deploy`. One package serves every stage; a stage's choices are the template's parameters. The doctor examines both,
// a person says yes where money could move otherwise, and then exactly that ships, under a release that differs for
// any other code or parameter. At the end the live versions are compared with the release. The first deployment of a stage goes
// in two steps: CloudFormation takes away the resources of a failed one, and could not take away a ledger that is protected against
// deletion; the next try would find its name taken. So the ledger is made unprotected, empty as it is, and protected as soon as
// the stack is complete.
import { createHash } from 'node:crypto';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../lib/aws/system.ts';
import { requireSomebody, saysYes } from '../lib/cli/asking.ts';
import { forgetStage } from '../lib/cli/setup/stage.ts';
import { notLive, planRollBack, type Published, type Step } from '../lib/cli/versions/roll-back-plan.ts';
import { examine } from '../lib/doctor/examine.ts';
import { readStack } from '../lib/doctor/stack.ts';
import { readWaivers } from '../lib/doctor/waivers.ts';
import { type Choices, choicesOf, stackTags, unheard } from './arguments.ts';
import { type ComparedTemplate, differenceOf } from './deployment-difference.ts';
import { packageStack, templateFile } from './packager.ts';

/** Values of the template's parameters, by their names there. */
export type TemplateValues = Readonly<Record<string, string>>;

/** The stage to deploy. */
export interface Deployed {
  readonly template: ComparedTemplate;
  readonly values: TemplateValues;
}

/** The template and the code that ship. */
export interface Shipment {
  /** The directory of template.json, stack-policy.json and the zips. */
  readonly directory: string;
  readonly bucket: string;
  readonly values: TemplateValues;
  readonly tags: Readonly<Record<string, string>>;
  /** ARN of the role that CloudFormation takes; empty for that of the caller. */
  readonly role: string;
}

/** The calls of AWS that a deployment makes. */
export interface Shipping {
  /** Packages; resolves with the directory. */
  package(): Promise<string>;
  /** The bucket for code where the stage names none. */
  ownBucket(): Promise<string>;
  /** Undefined where there is no such stack, or one of which a failed first deployment left nothing but the name. */
  deployed(): Promise<Deployed | undefined>;
  /** The doctor's reasons to refuse the template, a line each. */
  dangers(template: string, values: TemplateValues): Promise<readonly string[]>;
  /** Whether a person agrees. */
  agrees(asks: readonly string[]): Promise<boolean>;
  /** Puts the code into the bucket, and makes or updates the stack; rejects with CloudFormation's reason where it fails. */
  ship(shipment: Shipment): Promise<void>;
  /** The functions with their versions. */
  published(): Promise<readonly Published[]>;
  setLive(step: Step): Promise<void>;
  say(line: string): void;
}

/** Deploys; the exit code. */
export async function deploy(choices: Choices, shipping: Shipping): Promise<number> {
  const { say } = shipping;
  const { tags = '', cloudFormationRole: role = '', ...values } = choices.values;
  const stackWide = { tags: stackTags(tags), role };
  const directory = await shipping.package();
  const text = await readFile(join(directory, templateFile), 'utf8');
  const next = JSON.parse(text) as ComparedTemplate & { readonly Parameters: Readonly<Record<string, unknown>> };
  const bucket = values['codeBucket'] || (await shipping.ownBucket());
  const asked = templateValues(next, { ...values, codeBucket: bucket, stage: choices.stage }, text);
  const dangers = await shipping.dangers(text, asked);
  for (const it of dangers) say(`refused by the doctor: ${it}`);
  if (dangers.length > 0) return 1;
  const present = await shipping.deployed();
  const unready = present && isInParts(asked) ? await notAsDeployed(shipping) : [];
  for (const it of unready)
    say(`nothing is deployed: ${it}; wait for a rollout's end, or deploy with --param rollout=AllAtOnce`);
  if (unready.length > 0) return 1;
  const { lines, asks } = differenceOf(present, { template: next, values: asked });
  for (const it of lines) say(it);
  if (asks.length > 0 && !(await shipping.agrees(asks))) {
    say('nothing is deployed');
    return 1;
  }
  const isFirst = !present?.template.Resources['LedgerTable'];
  const steps =
    isFirst && asked['LedgerProtection'] === 'true' ? [{ ...asked, LedgerProtection: 'false' }, asked] : [asked];
  for (const it of steps) await shipping.ship({ directory, bucket, values: it, ...stackWide });
  return comparedWithLive(asked['Release'] ?? '', shipping);
}

const isInParts = ({ Rollout = 'AllAtOnce' }: TemplateValues) => Rollout !== 'AllAtOnce';

/**
 * The aliases that do not name the last deployment, a line each. CodeDeploy begins and ends by the version that CloudFormation deems live:
 * a rollout that failed over a release that somebody rolled back would give all calls to that one.
 */
async function notAsDeployed({ published }: Shipping): Promise<readonly string[]> {
  return (await published()).flatMap((it) => notLive([it], it.latest ?? 'none'));
}

/** Moves the aliases to the release, should somebody have rolled back, and reports whether all of them name it. */
async function comparedWithLive(release: string, { published, setLive, say }: Shipping): Promise<number> {
  const plan = planRollBack(await published(), release);
  for (const step of plan.kind === 'steps' ? plan.steps : []) {
    await setLive(step);
    say(`${step.functionName}: version ${step.from} -> ${step.to}`);
  }
  const functions = await published();
  const differences =
    functions.length === 0 ? ['the stack has no function behind an alias'] : notLive(functions, release);
  for (const it of differences) say(`not live: ${it}`);
  if (differences.length === 0) say(`release ${release} is live in all of ${functions.length} functions`);
  return differences.length === 0 ? 0 : 1;
}

/** The values of the template's parameters, Release among them. Throws on a stage's parameter that the template lacks. */
export function templateValues(
  template: {
    readonly Metadata?: ComparedTemplate['Metadata'];
    readonly Parameters: Readonly<Record<string, unknown>>;
  },
  chosen: Readonly<Record<string, string>>,
  templateText: string,
): TemplateValues {
  const named = Object.entries(chosen).map(([name, value]) => [name.replace(/^./, (it) => it.toUpperCase()), value]);
  const values = Object.fromEntries(named) as Record<string, string>;
  const unknown = Object.keys(values).filter((name) => !(name in template.Parameters));
  if (unknown.length > 0) throw new Error(`the template has no parameter ${unknown.join(', ')}`);
  const sorted = Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const digest = createHash('sha256')
    .update(JSON.stringify([templateText, sorted]))
    .digest('hex')
    .slice(0, 12);
  return { ...values, Release: `${template.Metadata?.Payouts?.Commit ?? 'unknown'}-${digest}` };
}

async function dangersOf(template: string, values: TemplateValues): Promise<readonly string[]> {
  const waivers = await readFile(join(import.meta.dirname, 'waivers.json'), 'utf8');
  const { valid } = readWaivers(waivers, new Date(systemClock.nowMs()).toISOString().slice(0, 10));
  const read = readStack(template, values);
  if (read.kind === 'unreadable') return [read.reason];
  return examine(read.stack, valid).found.map(({ where, fault, danger }) => `${where} ${fault}: ${danger}`);
}

/** Packages into a directory of its own, and asks the person at the terminal. */
const byHand = (isAgreed: boolean): Pick<Shipping, 'package' | 'dangers' | 'agrees' | 'say'> => ({
  async package() {
    const directory = await mkdtemp(join(tmpdir(), 'payouts-deploy-'));
    await packageStack(directory, { quiet: true });
    return directory;
  },
  dangers: dangersOf,
  async agrees(asks) {
    if (isAgreed) return true;
    requireSomebody(`read what changes, and say --yes: ${asks.join('; ')}`);
    return saysYes(`This changes what happens to money:\n${asks.join('\n')}\n`);
  },
  say: (line) => void process.stdout.write(`${line}\n`),
});

/** Deploys by the standard environment; `world` replaces parts of it in tests. */
export async function deployStage(args: readonly string[], world: Partial<Shipping> = {}): Promise<number> {
  const choices = choicesOf(args);
  const deaf = unheard(choices);
  if (deaf !== undefined) throw new Error(deaf);
  // The clients of every part read it, doctor and roll-back among them.
  process.env['AWS_REGION'] = choices.region;
  const { awsShipping } = await import('./aws-shipping.ts');
  const code = await deploy(choices, {
    ...byHand(choices.isAgreed),
    ...awsShipping(`payouts-${choices.stage}`),
    ...world,
  });
  await forgetStage(choices.stage);
  return code;
}

if (import.meta.main) {
  try {
    process.exitCode = await deployStage(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
