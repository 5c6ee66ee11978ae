// The schema of a stage's values, infra/stages/<stage>.yml. Packaging reads the file by it: a misspelt name stops the packaging.
import * as v from 'valibot';

const positive = v.pipe(v.number(), v.integer(), v.minValue(1));
const roleArn = v.pipe(
  v.string(),
  v.regex(/^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/-]+$/, 'must be the ARN of a role'),
);
/** The range that Lambda accepts for a queue. */
const concurrency = v.pipe(v.number(), v.integer(), v.minValue(2), v.maxValue(1000));
const email = v.nullable(v.pipe(v.string(), v.email('must be a mail address, or null')));
/** The periods that CloudWatch Logs accepts. */
const logRetentionDays = v.picklist([
  14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
]);
/** An option is a file of infra/options. */
const option = <const Name extends string>(name: Name) => v.optional(v.literal(name));

/** The name of a stage. No hyphen: rights are given on names that begin with `payouts-prod-`, which would include stage `prod-eu`. */
const stageName = v.pipe(v.string(), v.regex(/^[a-z][a-z0-9]{0,29}$/, 'a stage is lower-case letters and digits'));

const stageSchema = v.pipe(
  v.strictObject({
    region: v.pipe(v.string(), v.regex(/^[a-z]{2}(-[a-z]+)+-\d$/, 'must be a Region, such as eu-central-1')),
    secretPrefix: v.pipe(v.string(), v.regex(/^[\w/+=.@-]+\/$/, 'must be the beginning of a name, and end with /')),
    pageEmail: email,
    ticketEmail: email,
    doubtAlarm: v.pipe(
      v.string(),
      v.regex(/^(?=.*\*=)(([A-Z]{3}|\*)=\d+(\.\d+)?(,|$))+$/, "must be as 'EUR=5000,*=10000', with an amount for *"),
    ),
    concurrency: v.strictObject({
      submit: concurrency,
      batch: concurrency,
      waiting: concurrency,
      inquire: concurrency,
    }),
    callbacks: v.strictObject({ url: v.boolean(), reservedConcurrency: v.nullable(positive) }),
    // Roles or users by name, never an account: each of them may approve.
    approvers: v.pipe(
      v.array(
        v.pipe(
          v.string(),
          v.regex(/:(role|user)\/[\w+=,.@/-]{3,}\*?$/, 'must be the ARN of a role or user, whose name may end with *'),
        ),
      ),
      v.minLength(1, 'names no person: every job would wait'),
    ),
    logRetentionDays,
    openWorkShards: v.pipe(
      v.strictObject({ written: positive, read: v.pipe(positive, v.maxValue(200)) }),
      v.check(
        ({ written, read }) => written <= read,
        'must read at least as many as are written, or open orders would not be found',
      ),
    ),
    protectTables: v.boolean(),
    permissionsBoundary: v.nullable(
      v.pipe(
        v.string(),
        v.regex(/^arn:aws[a-z-]*:iam::(\d{12}|aws):policy\/[\w+=,.@/-]+$/, 'must be the ARN of a policy, or null'),
      ),
    ),
    ledgerTable: v.optional(v.string()),
    deploymentRole: v.optional(roleArn),
    network: option('network'),
    signingKeys: option('signing-keys'),
    // Keys, no patterns: a signature pays in the name of the key's merchant.
    signingKeyArns: v.optional(v.array(v.pipe(v.string(), v.regex(/^arn:aws[a-z-]*:kms:[^*]+:key\/[\w-]+$/)))),
    orderPaid: option('order-paid'),
    orderPaidBus: v.optional(v.string()),
    orderPaidSource: v.optional(v.string()),
    resultsBus: option('results-bus'),
    resultsBusName: v.optional(v.string()),
  }),
  // Strangers reach this URL: without a reserve they could use up the account's concurrency, and payouts would wait.
  v.check(
    ({ callbacks }) => !callbacks.url || callbacks.reservedConcurrency !== null,
    'callbacks.url needs a reserve: set callbacks.reservedConcurrency',
  ),
  v.check((it) => !it.signingKeys || it.signingKeyArns !== undefined, 'signingKeys needs signingKeyArns'),
  v.check(
    (it) => !it.orderPaid || (it.orderPaidBus !== undefined && it.orderPaidSource !== undefined),
    'orderPaid needs orderPaidBus and orderPaidSource',
  ),
  v.check((it) => !it.resultsBus || it.resultsBusName !== undefined, 'resultsBus needs resultsBusName'),
);

/** The values of a stage. */
export type Stage = v.InferOutput<typeof stageSchema>;

/** Reads a stage file; `!Sub` counts as its text. Throws one sentence that names the file and each fault. */
export function readStage(name: string, values: unknown): Stage {
  const read = v.safeParse(
    stageSchema,
    JSON.parse(JSON.stringify(values), (_, it) => it?.['Fn::Sub'] ?? it),
  );
  const named = v.safeParse(stageName, name);
  const faults = [
    ...[...(read.issues ?? []), ...(named.issues ?? [])].map((issue) => {
      const where = v.getDotPath(issue) ?? 'stage';
      if (issue.expected === 'never') return `there is no ${where}: example.yml has every name`;
      return `${where}: ${issue.input === undefined ? 'is missing: prod.yml explains it' : issue.message}`;
    }),
    ...(read.success ? faultsOfNames(name, read.output) : []),
  ];
  if (read.success && faults.length === 0) return read.output;
  const message = `infra/stages/${name}.yml: ${faults.join('; ')}`;
  // osls prints the stack of any error that is not its own.
  throw Object.assign(new Error(message), { stack: message });
}

/** Faults that depend on the stage's name. */
function faultsOfNames(stage: string, { approvers, ledgerTable }: Stage): string[] {
  const roles = ['SubmitRole', 'InquireRole', 'SweepRole', 'DoorRole', 'CallbackRole', 'operator'].map(
    (it) => `payouts-${stage}-${it}`,
  );
  // Patterns that would give roles of the worker the right to approve.
  const wide = approvers.filter((arn) => {
    const name = arn.slice(arn.lastIndexOf('/') + 1);
    return roles.some((role) => (name.endsWith('*') ? role.startsWith(name.slice(0, -1)) : role === name));
  });
  // Roles have rights only on tables whose names begin so.
  const isForeign = ledgerTable !== undefined && !ledgerTable.startsWith(`payouts-${stage}-ledger-`);
  return [
    ...wide.map((arn) => `approvers: ${arn} also names roles of the worker or the operator: name them more exactly`),
    ...(isForeign ? [`ledgerTable: must begin with payouts-${stage}-ledger-`] : []),
  ];
}
