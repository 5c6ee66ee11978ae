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
  { story: 'another name of the topic in mails', edit: set('OperatorTopic', 'DisplayName', 'money') },
  { story: 'code of another day', edit: set('SubmitLambdaFunction', 'Code.S3Key', 'tomorrow.zip') },
  { story: 'a dashboard of one of their own', edit: set('Dashboard', 'DashboardBody', '{}') },
  { story: 'statements in another order', edit: turned },
  { story: 'properties in another order', edit: renumbered },
  { story: 'a number written as text', edit: set('JobsQueue', 'VisibilityTimeout', '730') },
  {
    story: 'the default of loop detection, said aloud',
    edit: set('SweepLambdaFunction', 'RecursiveLoop', 'Terminate'),
  },
  { story: 'one more dashboard', edit: add('More', 'AWS::CloudWatch::Dashboard') },
];
