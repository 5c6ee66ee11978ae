// `payouts secrets copy`: secrets to another prefix, Region or account, in which a worker shall find them. Nothing of them is
// printed or written to a file, and nothing at the new place is overwritten.
import { CreateSecretCommand, DescribeSecretCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { newSecretsManagerClient } from '../../aws/secrets-manager-credentials.ts';
import { readSecretText } from '../../aws/secrets-manager-secret-text.ts';
import { patientAwsCalls } from '../../payout/limits.ts';
import { configured, say } from '../command-line.ts';

/** Options of `payouts secrets copy`. */
interface CopySecretsOptions {
  readonly to: string;
  readonly toRegion?: string;
  readonly toProfile?: string;
  readonly kmsKey?: string;
  readonly worker: boolean;
  readonly json: boolean;
}

/** Copies them; 1 where one was not there, or another text is at the new place. */
export async function copySecrets(names: readonly string[], options: CopySecretsOptions): Promise<number> {
  const { to, toRegion: region, toProfile: profile, worker } = options;
  const { secretPrefix, workerSecretId } = configured((config) => config);
  const aws = { limits: patientAwsCalls };
  const [here, there] = [
    newSecretsManagerClient(aws),
    newSecretsManagerClient(aws, { ...(region && { region }), ...(profile && { profile }) }),
  ];
  const wanted = [
    ...(worker ? [{ from: workerSecretId, name: `${to}_worker` }] : []),
    ...names.map((name) => ({ from: `${secretPrefix}${name}`, name: `${to}${name}` })),
  ];
  const said = [];
  for (const it of wanted) said.push({ ...it, ...(await copy(it, { here, there, kmsKey: options.kmsKey })) });
  for (const it of said)
    say(options, it, `${it.from} -> ${it.name}: ${sayings[it.outcome]}${it.arn ? ` (${it.arn})` : ''}`);
  return said.every(({ outcome }) => outcome === 'copied' || outcome === 'same') ? 0 : 1;
}

const sayings = {
  copied: 'copied',
  same: 'stood there already, with the same text',
  other: 'NOT copied: another text is there already; look at both before you take one away',
  missing: 'NOT copied: there is no such secret',
} as const;

interface Desks {
  readonly here: SecretsManagerClient;
  readonly there: SecretsManagerClient;
  readonly kmsKey: string | undefined;
}

async function copy(
  { from, name }: { readonly from: string; readonly name: string },
  { here, there, kmsKey }: Desks,
): Promise<{ readonly outcome: keyof typeof sayings; readonly arn?: string }> {
  const text = await readSecretText(here, from);
  if (text === undefined) return { outcome: 'missing' };
  const stored = await readSecretText(there, name);
  if (stored !== undefined) {
    const { ARN: arn } = await there.send(new DescribeSecretCommand({ SecretId: name }));
    return { outcome: stored === text ? 'same' : 'other', ...(arn !== undefined && { arn }) };
  }
  const create = { Name: name, SecretString: text, ...(kmsKey !== undefined && { KmsKeyId: kmsKey }) };
  const { ARN: arn } = await there.send(new CreateSecretCommand(create));
  return { outcome: 'copied', ...(arn !== undefined && { arn }) };
}
