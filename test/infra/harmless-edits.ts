// Changes of a stack that endanger nothing: a doctor that cries at them is not believed when it matters.
import { set, type Template } from './broken-edits.ts';

/** One of them. */
export interface HarmlessEdit {
  readonly story: string;
  readonly edit: (template: Template) => unknown;
}

const tags = [{ Key: 'team', Value: 'payments' }];
const tagged = [
  'JobsQueue',
  'LedgerTable',
  'WorkerKey',
  'WorkerSecret',
  'SubmitLambdaFunction',
  'SubmitRole',
  'HeldAlarm',
];
const add = (id: string, Type: string) => (template: Template) => {
  template.Resources[id] = { Type, Properties: {} };
};

/** Statements of a role the other way round. */
function turned(template: Template): void {
  const policies = template.Resources['SubmitRole']?.Properties['Policies'] as
    | { PolicyDocument: { Statement: unknown[] } }[]
    | undefined;
  policies?.[0]?.PolicyDocument.Statement.reverse();
}

/** Names of each resource's properties the other way round. */
function renumbered(template: Template): void {
  for (const it of Object.values(template.Resources)) {
    it.Properties = Object.fromEntries(Object.entries(it.Properties).toReversed());
  }
}

/** Every property of the stack, read and written anew. */
const everywhere = (change: (name: string, value: unknown) => unknown) => (template: Template) => {
  const changed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(changed);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, it]) => [name, change(name, changed(it))]));
  };
  for (const it of Object.values(template.Resources)) it.Properties = changed(it.Properties) as typeof it.Properties;
};
/** A reference written with another function. */
const referring = (from: 'Ref' | 'Fn::GetAtt', to: (name: string) => object) => (template: Template) => {
  const changed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(changed);
    if (typeof value !== 'object' || value === null) return value;
    const [[name = '', given] = []] = Object.entries(value);
    if (name === from && given !== 'AWS::NoValue') return to(Array.isArray(given) ? given.join('.') : String(given));
    return Object.fromEntries(Object.entries(value).map(([key, it]) => [key, changed(it)]));
  };
  const { Resources } = template;
  for (const it of Object.values(Resources)) it.Properties = changed(it.Properties) as typeof it.Properties;
};
const isPolicy = (name: string) => name === 'Action' || name === 'Resource';
const unsaid = { DelaySeconds: 0, FifoQueue: false };

/** The same, said otherwise. */
const sameInOtherWords: readonly HarmlessEdit[] = [
  {
    story: 'every list of rights with one entry is that entry',
    edit: everywhere((name, it) => (isPolicy(name) && Array.isArray(it) && it.length === 1 ? (it[0] as unknown) : it)),
  },
  {
    story: 'every right alone is a list',
    edit: everywhere((name, it) => (isPolicy(name) && !Array.isArray(it) ? [it] : it)),
  },
  {
    story: 'every list of rights is the other way round',
    edit: everywhere((name, it) => (isPolicy(name) && Array.isArray(it) ? it.toReversed() : it)),
  },
  {
    story: 'every action in small letters',
    edit: everywhere((name, it) =>
      name === 'Action'
        ? Array.isArray(it)
          ? it.map((one) => String(one).toLowerCase())
          : String(it).toLowerCase()
        : it,
    ),
  },
  { story: 'every number as text', edit: everywhere((_, it) => (typeof it === 'number' ? String(it) : it)) },
  { story: 'every switch as text', edit: everywhere((_, it) => (typeof it === 'boolean' ? String(it) : it)) },
  { story: 'every attribute by its short form', edit: referring('Fn::GetAtt', (name) => ({ 'Fn::GetAtt': name })) },
  { story: 'every attribute by Fn::Sub', edit: referring('Fn::GetAtt', (name) => ({ 'Fn::Sub': `\${${name}}` })) },
  { story: 'every reference by Fn::Sub', edit: referring('Ref', (name) => ({ 'Fn::Sub': `\${${name}}` })) },
  { story: 'every reference by Fn::Join', edit: referring('Ref', (Ref) => ({ 'Fn::Join': ['', [{ Ref }]] })) },
  {
    story: 'defaults of a queue, said aloud',
    edit: (it) => void Object.assign(it.Resources['JobsQueue']?.Properties ?? {}, unsaid),
  },
  { story: 'an empty list of layers', edit: set('SubmitLambdaFunction', 'Layers', []) },
  { story: 'an empty list of policies', edit: set('CallbackRole', 'ManagedPolicyArns', []) },
  {
    story: 'a concurrency that is no value',
    edit: set('SweepLambdaFunction', 'ReservedConcurrentExecutions', { Ref: 'AWS::NoValue' }),
  },
  { story: 'a path of a role that is the default', edit: set('SubmitRole', 'Path', '/') },
];

/** The list. */
export const harmlessEdits: readonly HarmlessEdit[] = [
  ...tagged.map((id) => ({ story: `tags on ${id}`, edit: set(id, 'Tags', tags) })),
  { story: 'more memory for submit', edit: set('SubmitLambdaFunction', 'MemorySize', 2048) },
  { story: 'less memory for sweep', edit: set('SweepLambdaFunction', 'MemorySize', 256) },
  { story: 'more room in /tmp', edit: set('SubmitLambdaFunction', 'EphemeralStorage', { Size: 1024 }) },
  { story: 'logs for two years', edit: set('SubmitLogGroup', 'RetentionInDays', 731) },
  { story: 'logs for ten years', edit: set('CallbackLogGroup', 'RetentionInDays', 3653) },
  { story: 'another description of a function', edit: set('SubmitLambdaFunction', 'Description', 'pays') },
  { story: 'another description of a rule', edit: set('OrderPaidRule', 'Description', 'shop') },
  { story: 'another description of the key', edit: set('WorkerKey', 'Description', 'ours') },
  { story: 'another text of an alarm', edit: set('HeldAlarm', 'AlarmDescription', 'Call Ada.') },
  { story: 'another name of the topic in mails', edit: set('PageTopic', 'DisplayName', 'money') },
  {
    story: 'code of another day',
    edit: set('SubmitLambdaFunction', 'Code.S3Key', { 'Fn::Sub': '${CodePrefix}submit-0123456789ab.zip' }),
  },
  { story: 'a dashboard of one of their own', edit: set('Dashboard', 'DashboardBody', '{}') },
  { story: 'statements in another order', edit: turned },
  { story: 'properties in another order', edit: renumbered },
  { story: 'a number written as text', edit: set('JobsQueue', 'VisibilityTimeout', '730') },
  {
    story: 'the default of loop detection, said aloud',
    edit: set('SweepLambdaFunction', 'RecursiveLoop', 'Terminate'),
  },
  { story: 'one more dashboard', edit: add('More', 'AWS::CloudWatch::Dashboard') },
  ...sameInOtherWords,
];
