// `npm run deploy` into moto: the very function that deploys to AWS. Two things differ: what moto can't make is taken out of
// the template (moto-template.ts) as it ships, while doctor and person are shown it as it was before; and a commit is another
// one because it is said to be, not because anything was built anew.
import { cp, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { awsShipping } from '../../infra/aws-shipping.ts';
import { choicesOf } from '../../infra/arguments.ts';
import { deployStage, type Shipment } from '../../infra/deploy.ts';
import { packageStack, templateFile } from '../../infra/packager.ts';
import { forMoto } from './moto-template.ts';

let packaged: Promise<string> | undefined;

/** A package of this commit, whatever is checked out. */
async function packageOf(commit: string): Promise<string> {
  packaged ??= (async () => {
    const directory = await mkdtemp(join(tmpdir(), 'payouts-moto-'));
    await packageStack(directory, { quiet: true, environment: { SOURCE_COMMIT: 'commit-of-the-day' } });
    return directory;
  })();
  const directory = await mkdtemp(join(tmpdir(), 'payouts-moto-'));
  await cp(await packaged, directory, { recursive: true });
  const file = join(directory, templateFile);
  await writeFile(file, (await readFile(file, 'utf8')).replaceAll('commit-of-the-day', commit));
  return directory;
}

/** The shipment as moto takes it. */
async function reduced(shipment: Shipment): Promise<Shipment> {
  const directory = await mkdtemp(join(tmpdir(), 'payouts-moto-'));
  await cp(shipment.directory, directory, { recursive: true });
  const text = forMoto(await readFile(join(directory, templateFile), 'utf8'));
  await writeFile(join(directory, templateFile), text);
  const { Parameters } = JSON.parse(text) as { readonly Parameters: Readonly<Record<string, unknown>> };
  const values = Object.fromEntries(Object.entries(shipment.values).filter(([name]) => name in Parameters));
  return { ...shipment, directory, values };
}

/** What shipped last of each stage, before anything was taken out of it. */
const shipped = new Map<string, Shipment>();

/** Deploys; its exit code, and what it told a person. Clients of AWS in this process must be led to moto by its environment. */
export async function deployIntoMoto(
  args: readonly string[],
  commit: string,
): Promise<{ readonly code: number; readonly said: readonly string[] }> {
  const said: string[] = [];
  const { stage } = choicesOf(args);
  // Made by `deployStage` only once the region is known; moto has one answer for all.
  const aws = () => awsShipping(`payouts-${stage}`);
  const code = await deployStage(args, {
    package: () => packageOf(commit),
    async deployed() {
      const last = shipped.get(stage);
      if (!(await aws().deployed()) || !last) return aws().deployed();
      const template = JSON.parse(await readFile(join(last.directory, templateFile), 'utf8'));
      return { template, values: last.values };
    },
    async ship(shipment) {
      await aws().ship(await reduced(shipment));
      shipped.set(stage, shipment);
    },
    say: (line) => void said.push(line),
  });
  return { code, said };
}

// As the walk of pages runs it in the place of `npm run deploy`.
if (import.meta.main) {
  const { code, said } = await deployIntoMoto(process.argv.slice(2), process.env['SOURCE_COMMIT'] || 'walked');
  process.stdout.write(said.map((it) => `${it}\n`).join(''));
  process.exitCode = code;
}
