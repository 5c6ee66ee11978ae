// `payouts smoke`: what a stack in a real account does, asked of the services themselves. Each row proves one thing that no
// emulator and no template shows, and leaves nothing behind.

/** An event source of a function, and its state. */
export interface Caller {
  /** A queue or a schedule. */
  readonly name: string;
  readonly isOn: boolean;
  /** ARN of the function or its alias. */
  readonly target: string;
  /** Whether single messages may fail, where the source is a queue. */
  readonly partial?: boolean;
}

/** A statement of a policy, as far as it is looked at. */
export interface PolicyStatement {
  readonly Effect?: string;
  readonly Principal?: unknown;
  readonly Action?: string | readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** One question to IAM's own simulator. */
export interface RightAsked {
  /** Logical id of a role of the stack. */
  readonly role: string;
  readonly action: string;
  /** Logical id of what it is about, or a name below the stack's secrets. */
  readonly on: string;
  readonly leadingKey?: string;
}

/** The account, as far as it is asked. */
export interface SmokeAccount {
  queueCallers(): Promise<readonly Caller[]>;
  schedules(): Promise<readonly Caller[]>;
  queuePolicies(): Promise<readonly { readonly name: string; readonly statements: readonly PolicyStatement[] }[]>;
  keyStatements(): Promise<readonly PolicyStatement[]>;
  /** IAM's answer, conditions included. */
  mayCall(right: RightAsked): Promise<boolean>;
  /** Confirmed subscribers of a topic, by protocol; and how many never confirmed. */
  subscribers(
    topic: 'PageTopic' | 'TicketTopic',
  ): Promise<{ readonly confirmed: readonly string[]; readonly pending: number }>;
  ring(alarm: string): Promise<void>;
  /** Whether the sweeper has said in the ledger whose it is. */
  ledgerIsStamped(): Promise<boolean>;
  /** Puts a message that is no job on the jobs queue, and waits for it among the dead letters, where it is deleted; its reason. */
  dryJob(): Promise<string | undefined>;
}

/** One row. */
interface SmokeCheck {
  readonly name: string;
  readonly proves: string;
  /** The faults, a line each; none where the check is passed. */
  faults(account: SmokeAccount): Promise<readonly string[]>;
}

const liveTarget = /:function:[^:]+:live$/;

const faultsOfCaller = ({ name, isOn, target, partial }: Caller): string[] => [
  ...(isOn ? [] : [`${name} is switched off`]),
  ...(liveTarget.test(target) ? [] : [`${name} calls ${target || 'nothing'}, not the alias live`]),
  ...(partial === false ? [`${name} brings a whole batch back where one message fails`] : []),
];

const scheduledSweeps = 4;
/** The queues that functions take messages from. */
export const polledQueues = ['JobsQueue', 'BatchJobsQueue', 'ChecksQueue', 'CallbacksQueue', 'LinesQueue'] as const;

const actionsOf = ({ Action = [] }: PolicyStatement): readonly string[] =>
  typeof Action === 'string' ? [Action] : Action;
const isEverybody = (principal: unknown): boolean =>
  /^"\*"$|"AWS":("\*"|\["\*"\])/.test(JSON.stringify(principal) ?? '');
const refusesPlainHttp = ({ Effect, Condition }: PolicyStatement) =>
  Effect === 'Deny' && Condition?.['Bool']?.['aws:SecureTransport'] === 'false';

function faultsOfQueue(name: string, statements: readonly PolicyStatement[]): string[] {
  const open = statements.some(
    ({ Effect, Principal, Condition }) => Effect === 'Allow' && isEverybody(Principal) && Condition === undefined,
  );
  return [
    ...(statements.some(refusesPlainHttp) ? [] : [`${name} takes plain HTTP`]),
    ...(open ? [`${name} is open to everybody`] : []),
  ];
}

/** Using the key, as opposed to administering it. */
const usesKey = /^kms:(\*|Decrypt|Encrypt|GenerateDataKey.*|ReEncrypt.*)$/;

function faultsOfKey(statements: readonly PolicyStatement[]): string[] {
  const direct = statements.filter(
    (it) => it.Effect === 'Allow' && actionsOf(it).some((action) => usesKey.test(action)),
  );
  const free = direct.filter(({ Condition }) => Condition === undefined);
  return [
    ...(direct.length === 0 ? ['nobody may use it'] : []),
    ...(free.length > 0 ? ['it can be used without going through a service of ours'] : []),
  ];
}

const claimsOrders = {
  action: 'dynamodb:PutItem',
  on: 'LedgerTable',
  leadingKey: 'acme/1',
  why: 'claims orders',
} as const;
const readsSecrets = {
  action: 'secretsmanager:GetSecretValue',
  on: 'secret',
  why: "reads merchants' secrets",
} as const;
const ofTheLedger = { role: 'SubmitRole', on: 'LedgerTable', may: false } as const;

/** The answers of IAM that the stack's roles must get, under their conditions. */
export const rights: readonly (RightAsked & { readonly may: boolean; readonly why: string })[] = [
  { role: 'SubmitRole', ...claimsOrders, may: true },
  { ...ofTheLedger, action: 'dynamodb:PutItem', leadingKey: '~ledger', why: 'says whose the ledger is' },
  { ...ofTheLedger, action: 'dynamodb:DeleteItem', leadingKey: 'acme/1', why: 'forgets an order' },
  { role: 'SubmitRole', action: 'kms:GenerateMac', on: 'ApprovalKey', may: false, why: 'approves batches' },
  { role: 'SubmitRole', ...readsSecrets, may: true },
  { role: 'InquireRole', ...claimsOrders, may: false },
  { role: 'SweepRole', ...readsSecrets, may: false },
  { role: 'SweepRole', ...claimsOrders, may: false },
  { role: 'CallbackRole', ...readsSecrets, may: false },
  { role: 'CallbackRole', ...claimsOrders, may: false },
  { role: 'CallbackRole', action: 'sqs:SendMessage', on: 'JobsQueue', may: false, why: 'puts jobs' },
];

/** Each alarm rings its topic without harm; CloudWatch sets it back by itself within a minute. */
const rings = { PageTopic: 'function-errors', TicketTopic: 'held' } as const;

async function faultsOfTopic(topic: 'PageTopic' | 'TicketTopic', account: SmokeAccount): Promise<string[]> {
  const { confirmed, pending } = await account.subscribers(topic);
  if (confirmed.length > 0) {
    await account.ring(rings[topic]);
    return [];
  }
  const why = pending === 0 ? 'it has no subscriber' : `${pending} never confirmed: follow the link in the mail of AWS`;
  return [`nobody hears ${topic}: ${why}`];
}

const flatly = async (all: readonly Promise<readonly string[]>[]) => (await Promise.all(all)).flat();

/** The rows, in the order in which they are printed. */
export const smokeChecks: readonly SmokeCheck[] = [
  {
    name: 'queues call the live functions',
    proves: 'each mapping is on, aims at the alias and lets single messages fail',
    async faults(account) {
      const callers = await account.queueCallers();
      const count =
        callers.length === polledQueues.length
          ? []
          : [`${callers.length} queues of ${polledQueues.length} call a function`];
      return [...count, ...callers.flatMap(faultsOfCaller)];
    },
  },
  {
    name: 'four sweepers are called each minute',
    proves: 'each schedule is on and aims at the alias',
    async faults(account) {
      const callers = await account.schedules();
      const count = callers.length === scheduledSweeps ? [] : [`${callers.length} schedules of ${scheduledSweeps}`];
      return [...count, ...callers.flatMap(faultsOfCaller)];
    },
  },
  {
    name: 'queues refuse plain HTTP and strangers',
    proves: 'the policies that stand at the queues now',
    faults: async (account) =>
      (await account.queuePolicies()).flatMap(({ name, statements }) => faultsOfQueue(name, statements)),
  },
  {
    name: 'the key is used through services alone',
    proves: 'the policy that stands at the key now: nobody decrypts with it directly',
    faults: async (account) => faultsOfKey(await account.keyStatements()),
  },
  {
    name: 'roles may what they must, and no more',
    proves: "IAM's own simulator, conditions on keys of items included",
    faults: (account) =>
      flatly(
        rights.map(async ({ may, why, ...right }) => {
          const allowed = await account.mayCall(right);
          return allowed === may
            ? []
            : [`${right.role} ${allowed ? 'can' : "can't"} be one that ${why} (${right.action})`];
        }),
      ),
  },
  {
    name: 'alarms reach a person',
    proves: 'both topics have a confirmed subscriber, and an alarm of each was rung: ask them whether they heard it',
    faults: (account) => flatly([faultsOfTopic('PageTopic', account), faultsOfTopic('TicketTopic', account)]),
  },
  {
    name: 'the sweeper runs',
    proves: 'it has said in the ledger whose the ledger is: schedule, role, key and table work together',
    faults: async (account) =>
      (await account.ledgerIsStamped()) ? [] : ['the ledger says nothing of itself: no sweep has come to its end'],
  },
  {
    name: 'a message goes all the way',
    proves:
      'what is no job comes from the jobs queue through submit to the dead letters, with its reason; it is taken away again',
    async faults(account) {
      const reason = await account.dryJob();
      return reason === undefined ? ['it did not come out among the dead letters in time'] : [];
    },
  },
];

/** How one row went. */
type SmokeResult = Pick<SmokeCheck, 'name' | 'proves'> & { readonly faults: readonly string[] };

/** Runs all of them; a row that can't be asked about has that for its fault. */
export async function smoke(account: SmokeAccount): Promise<readonly SmokeResult[]> {
  const results: SmokeResult[] = [];
  for (const { name, proves, faults } of smokeChecks) {
    try {
      results.push({ name, proves, faults: await faults(account) });
    } catch (error) {
      const why = error instanceof Error ? error.name : 'no reason given';
      results.push({ name, proves, faults: [`could not be asked about: ${why}`] });
    }
  }
  return results;
}
