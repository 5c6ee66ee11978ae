// `npm run deploy` into moto: the very function that deploys to AWS. Two things differ: what moto can't make is taken out of
// the template (moto-plugin.ts), and the doctor examines it as it was before.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readParameters, readStageFile, remembered, stageOf } from '../../infra/arguments.ts';
import { deploy, realShipping } from '../../infra/deploy.ts';
import { unheard } from '../../infra/subscriber.ts';
import { serviceCopy } from '../infra/synthesized.ts';
import { wholeTemplate } from './moto-plugin.ts';

/** Relative to the service, as the packager wants it: the plugin is looked for beside serverless.yml. */
const motoPlugin = './infra/moto-plugin.ts';

/** A directory of the service whose packages moto takes. */
export const serviceForMoto = (): Promise<string> =>
  serviceCopy((file, text) =>
    file === 'serverless.yml' ? text.replace('/bundle-plugin.ts', `/bundle-plugin.ts\n  - ${motoPlugin}`) : text,
  );

/** Deploys; its exit code, and what it told a person. Clients of AWS in this process must be led to moto by its environment. */
export async function deployIntoMoto(
  given: readonly string[],
  serviceDirectory: string,
  environment: Readonly<Record<string, string>>,
): Promise<{ readonly code: number; readonly said: readonly string[] }> {
  const own = given.filter((it) => it !== '--yes');
  const known = readParameters();
  const args = remembered(own, readStageFile(stageOf(own)), known);
  const deaf = unheard(args, known);
  if (deaf !== undefined) return { code: 1, said: [deaf] };
  const said: string[] = [];
  const real = realShipping(args, own.length < given.length, { serviceDirectory, environment, quiet: true });
  const code = await deploy(args, {
    ...real,
    dangers: () => real.dangers(readFileSync(join(serviceDirectory, wholeTemplate), 'utf8')),
    say: (line) => void said.push(line),
  });
  return { code, said };
}

// As the walk of pages runs it in the place of `npm run deploy`.
if (import.meta.main) {
  const { code, said } = await deployIntoMoto(process.argv.slice(2), process.env['WALKED_SERVICE'] ?? '', {
    SOURCE_COMMIT: process.env['SOURCE_COMMIT'] ?? '',
  });
  process.stdout.write(said.map((it) => `${it}\n`).join(''));
  process.exitCode = code;
}
