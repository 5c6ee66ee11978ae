// What a stage file may say: infra/stages/<stage>.yml. Packaging reads each file by this schema, so a misspelt name stops it.
import * as v from 'valibot';

const positive = v.pipe(v.number(), v.integer(), v.minValue(1));
/** As Lambda takes it for a queue. */
const concurrency = v.pipe(v.number(), v.integer(), v.minValue(2), v.maxValue(1000));
const email = v.nullable(v.pipe(v.string(), v.email()));
/** The periods that CloudWatch Logs knows. */
const logRetentionDays = v.picklist([
  14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
]);
/** One option is one file of infra/options. */
const option = <const Name extends string>(name: Name) => v.optional(v.literal(name));

/** The name of a stage. Without a hyphen: rights name what begins with `payouts-prod-`, and would include those of `prod-eu`. */
const stageName = v.pipe(v.string(), v.regex(/^[a-z][a-z0-9]{0,29}$/, 'a stage is lower-case letters and digits'));

const stageSchema = v.pipe(
  v.strictObject({
    region: v.pipe(v.string(), v.regex(/^[a-z]{2}(-[a-z]+)+-\d$/)),
    secretPrefix: v.pipe(v.string(), v.regex(/^[\w/+=.@-]+\/$/)),
    pageEmail: email,
    ticketEmail: email,
    doubtAlarm: v.string(),
    concurrency: v.strictObject({ submit: concurrency, batch: concurrency, lines: concurrency, inquire: concurrency }),
    callbacks: v.strictObject({ url: v.boolean(), reservedConcurrency: v.nullable(positive) }),
    // A role or user by name, never an account: each of these approves.
    approvers: v.pipe(v.array(v.pipe(v.string(), v.regex(/:(role|user)\/[\w+=,.@/-]{3,}\*?$/))), v.minLength(1)),
    logRetentionDays,
    openWorkShards: v.strictObject({ written: positive, read: positive }),
    protectTables: v.boolean(),
    permissionsBoundary: v.nullable(v.string()),
    ledgerTable: v.optional(v.string()),
    deploymentRole: v.optional(v.string()),
    network: option('network'),
    signingKeys: option('signing-keys'),
    // A key and no pattern: who signs with a key pays in that merchant's name.
    signingKeyArns: v.optional(v.array(v.pipe(v.string(), v.regex(/^arn:aws[a-z-]*:kms:[^*]+:key\/[\w-]+$/)))),
    orderPaid: option('order-paid'),
    orderPaidBus: v.optional(v.string()),
    orderPaidSource: v.optional(v.string()),
    resultsBus: option('results-bus'),
    resultsBusName: v.optional(v.string()),
  }),
  // Strangers reach that address: without a reserve they use up the account's concurrency, and payouts wait.
  v.check(({ callbacks }) => !callbacks.url || callbacks.reservedConcurrency !== null, 'callbacks.url needs a reserve'),
);

/** The values of a stage. */
export type Stage = v.InferOutput<typeof stageSchema>;

/** Reads a stage file, of which `!Sub` counts as its text. Throws one sentence that names the file and each fault. */
export function readStage(name: string, values: unknown): Stage {
  const read = v.safeParse(
    stageSchema,
    JSON.parse(JSON.stringify(values), (_, it) => it?.['Fn::Sub'] ?? it),
  );
  const named = v.safeParse(stageName, name);
  const faults = [...(read.issues ?? []), ...(named.issues ?? [])].map((it) => {
    const where = v.getDotPath(it) ?? 'stage';
    return it.expected === 'never' ? `there is no ${where}` : `${where}: ${it.message}`;
  });
  if (read.success && named.success) return read.output;
  const message = `infra/stages/${name}.yml: ${faults.join('; ')}`;
  // osls prints the stack of an error that is not its own.
  throw Object.assign(new Error(message), { stack: message });
}
