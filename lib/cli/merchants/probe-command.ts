// `payouts probe`: what a sandbox gateway's contract does, each line with its evidence as it is found out, and the profile
// for the secret.
import { type OperationName, operations } from '../../gateway/operations.ts';
import { probe, type ProbeReport, type ProbeStopped } from '../../merchants/probe.ts';
import type { ProbeLine } from '../../merchants/probing.ts';
import { makingSecrets } from '../../operate/remedies.ts';
import { say } from '../command-line.ts';
import { toolPorts } from '../tool-ports.ts';
import { checkNames, UsageError } from '../../files/usage-error.ts';

/** Options of `payouts probe`. */
interface ProbeCommandOptions {
  readonly endpoint: string;
  readonly operation: OperationName;
  readonly amount: string;
  readonly currency: string;
  readonly field: readonly (readonly [name: string, value: string])[];
  readonly wait: number;
  readonly json: boolean;
}

/** Probes the gateway of a merchant's current secret, which must be one of a test account. */
export async function probeMerchant(merchant: string, options: ProbeCommandOptions): Promise<number> {
  const { endpoint: endpointId, operation, json } = options;
  checkNames({ merchant, endpointId });
  const params = paramsOf(options);
  const ports = toolPorts();
  const stored = await ports.secretAdmin.read(merchant, 'AWSCURRENT');
  if (!stored) {
    const made = `made by \`${makingSecrets(ports.secretPrefix, merchant)}\`; infra/docs/settings.md says what is in them`;
    throw new UsageError(`there is no secret for a merchant "${merchant}": it is ${made}`);
  }
  const { read } = stored;
  if (read.kind === 'fault') throw new UsageError(`the secret can't be used: ${read.message}`);
  if (read.credentials.mode !== 'test')
    throw new UsageError(
      `${merchant} is a live account (its secret does not say "mode": "test"), and a probe starts up to three orders, of which one may be paid; probe the sandbox's own account`,
    );
  const onLine = json ? undefined : (line: ProbeLine) => void process.stdout.write(textOf(line));
  const report = await probe(
    read.credentials,
    { endpointId, operation, params, waitSeconds: options.wait, onLine },
    ports,
  );
  say({ json }, report, endOf(report));
  return report.kind === 'report' ? 0 : 1;
}

function paramsOf({ operation, amount, currency, field }: ProbeCommandOptions): Record<string, string> {
  const { fields } = operations[operation];
  const odd = field.find(([name]) => !fields[name]);
  if (odd) throw new UsageError(`"${odd[0]}" is no field of ${operation}; there are ${Object.keys(fields).join(', ')}`);
  return { amount, currency, ...Object.fromEntries(field) };
}

const marks = { seen: '✔', inferred: '~', 'not found out': '?' } as const;

function textOf({ topic, says, evidence, sure }: ProbeLine): string {
  return `${marks[sure]} ${topic}: ${says}\n    ${evidence}\n`;
}

function endOf(report: ProbeReport | ProbeStopped): string {
  const { requests } = report;
  if (report.kind === 'stopped') return `✘ ${report.why}\n${requests} requests were made`;
  return [
    '',
    `${requests} requests were made. For the secret's "profile" (what it lacks here stays as the interface document says):`,
    JSON.stringify(report.profile, null, 2),
  ].join('\n');
}
