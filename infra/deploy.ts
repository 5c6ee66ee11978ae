// `npm run deploy`. What ships is packaged once, examined by the doctor, and laid beside what is deployed; where money could move
// otherwise a person says yes; then exactly that ships. The first deployment of a stage goes in two steps: CloudFormation
// takes away what a failed one has made, and could not take away a ledger that is protected against deletion; the next try
// would find its name taken. So the ledger is made unprotected, empty as it is, and protected as soon as the stack stands.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CloudFormationClient, GetTemplateCommand, paginateListStackResources } from '@aws-sdk/client-cloudformation';
import { clientSettings } from '../lib/aws/aws-calls.ts';
import { requireSomebody, saysYes } from '../lib/cli/asking.ts';
import { forgetStage } from '../lib/cli/setup/stage.ts';
import { liveVersionsOf } from '../lib/cli/versions/live-versions.ts';
import { planRollBack } from '../lib/cli/versions/roll-back-plan.ts';
import { examine } from '../lib/doctor/examine.ts';
import { readStack } from '../lib/doctor/stack.ts';
import { patientAwsCalls } from '../lib/payout/limits.ts';
import { optionOf, readParameters, readStageFile, remembered, stageOf } from './arguments.ts';
import { type ComparedTemplate, differenceOf, withOwnLedger } from './deployment-difference.ts';
import { packageStack, type PackagerOptions, runPackager } from './packager.ts';
import { unheard } from './subscriber.ts';

const unprotected = ['--param', 'ledgerProtection=false'];

/** The arguments of each run of the packager. */
export function runsOf(args: readonly string[], ledgerStands: boolean): readonly (readonly string[])[] {
  const isSaid = args.some((it) => /^(--param=)?ledgerProtection=/.test(it));
  return ledgerStands || isSaid ? [args] : [[...args, ...unprotected], args];
}

/** What the world does for a deployment. */
export interface Shipping {
  /** Packages; resolves with the template and where it lies. */
  package(args: readonly string[], name: string): Promise<{ readonly directory: string; readonly template: string }>;
  /** Ships a directory as it is; its exit code. */
  ship(args: readonly string[], directory: string): Promise<number>;
  ledgerStands(): Promise<boolean>;
  /** The template that is deployed; undefined where there is no such stack. */
  deployed(): Promise<string | undefined>;
  /** Why the doctor refuses it, a line each. */
  dangers(template: string): readonly string[];
  /** Whether a person agrees. */
  agrees(asks: readonly string[]): Promise<boolean>;
  /** Lets the aliases name this commit, should somebody have rolled back; a line for each that did not. */
  goForward(commit: string): Promise<readonly string[]>;
  say(line: string): void;
}

/** Deploys; the exit code. */
export async function deploy(args: readonly string[], shipping: Shipping): Promise<number> {
  const { say } = shipping;
  const runs = runsOf(args, await shipping.ledgerStands());
  const packages = [];
  for (const [index, run] of runs.entries()) packages.push({ run, ...(await shipping.package(run, `${index + 1}`)) });
  const last = packages.at(-1);
  if (!last) return 1;
  const dangers = shipping.dangers(last.template);
  for (const it of dangers) say(`refused by the doctor: ${it}`);
  if (dangers.length > 0) return 1;
  const present = await shipping.deployed();
  const next = JSON.parse(last.template) as ComparedTemplate;
  const { lines, asks } = differenceOf(
    present === undefined ? undefined : (JSON.parse(present) as ComparedTemplate),
    next,
  );
  for (const it of lines) say(it);
  if (asks.length > 0 && !(await shipping.agrees(asks))) {
    say('nothing is deployed');
    return 1;
  }
  for (const { run, directory } of packages) {
    const code = await shipping.ship(run, directory);
    if (code !== 0) return code;
  }
  for (const it of await shipping.goForward(next.Metadata?.Payouts?.Commit ?? '')) say(it);
  return 0;
}

/** The real world: osls, CloudFormation and Lambda by the standard environment; `isAgreed` stands for a person's yes. */
export function realShipping(args: readonly string[], isAgreed: boolean, options: PackagerOptions = {}): Shipping {
  const region = optionOf(args, 'region') ?? process.env['AWS_REGION'] ?? 'eu-central-1';
  const StackName = `payouts-${stageOf(args)}`;
  const root = options.serviceDirectory ?? join(import.meta.dirname, '..');
  const ask = async <T>(question: (client: CloudFormationClient) => Promise<T>): Promise<T | undefined> => {
    const client = new CloudFormationClient({ ...clientSettings(patientAwsCalls), region });
    try {
      return await question(client);
    } catch (error) {
      // CloudFormation's word for a stack or a resource that is not there.
      if (error instanceof Error && error.name === 'ValidationError') return undefined;
      throw error;
    } finally {
      client.destroy();
    }
  };
  return {
    async package(run, name) {
      const directory = join('.build', `deploy-${name}`);
      // The framework clears old folders of its bucket away by their times, so here it is the present one.
      const environment = { ...options.environment, SOURCE_DATE_EPOCH: '' };
      const { code, output } = await packageStack(run, directory, { ...options, environment });
      if (code !== 0) throw new Error(`packaging failed: ${output}`);
      return { directory, template: await readFile(join(root, directory, templateName), 'utf8') };
    },
    async ship(run, directory) {
      const environment = { ...options.environment, DEPLOYED_BY: 'npm run deploy' };
      const { code, output } = await runPackager(['deploy', ...run, '--package', directory], {
        ...options,
        environment,
      });
      // Where it was kept quiet.
      if (code !== 0) process.stderr.write(output);
      return code;
    },
    async ledgerStands() {
      const status = await ask(async (client) => {
        for await (const page of paginateListStackResources({ client }, { StackName })) {
          const ledger = page.StackResourceSummaries?.find((it) => it.LogicalResourceId === 'LedgerTable');
          if (ledger) return ledger.ResourceStatus ?? '';
        }
        return undefined;
      });
      return status !== undefined && !/^(CREATE_FAILED|DELETE_COMPLETE)$/.test(status);
    },
    async deployed() {
      return (await ask((client) => client.send(new GetTemplateCommand({ StackName }))))?.TemplateBody;
    },
    dangers(template) {
      const read = readStack(withOwnLedger(template));
      if (read.kind === 'unreadable') return [read.reason];
      return examine(read.stack).map(({ where, fault, danger }) => `${where} ${fault}: ${danger}`);
    },
    async agrees(asks) {
      if (isAgreed) return true;
      requireSomebody(`read what changes, and say --yes: ${asks.join('; ')}`);
      return saysYes(`This changes what happens to money:\n${asks.join('\n')}\n`);
    },
    async goForward(commit) {
      process.env['AWS_REGION'] = region;
      const versions = liveVersionsOf(StackName);
      const plan = planRollBack(await versions.read(), commit);
      if (plan.kind === 'impossible') return [`the aliases stay as they are: ${plan.reason}`];
      for (const step of plan.steps) await versions.set(step);
      return plan.steps.map(({ functionName, from, to }) => `${functionName}: version ${from} -> ${to}`);
    },
    say: (line) => void process.stdout.write(`${line}\n`),
  };
}

const templateName = 'cloudformation-template-update-stack.json';

async function main(given: readonly string[]): Promise<number> {
  const own = given.filter((it) => it !== '--yes');
  const known = readParameters();
  const args = remembered(own, readStageFile(stageOf(own)), known);
  const deaf = unheard(args, known);
  if (deaf !== undefined) throw new Error(deaf);
  const code = await deploy(args, realShipping(args, own.length < given.length));
  await forgetStage(stageOf(own));
  return code;
}

if (import.meta.main) {
  try {
    process.exitCode = await main(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
