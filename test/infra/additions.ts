// What teams ordinarily add to a stack of theirs. None of it is the doctor's to know as safe: each is refused, until somebody waives
// just that.
import { set, type Template } from './broken-edits.ts';

/** One of them. */
export interface Addition {
  readonly story: string;
  readonly edit: (template: Template) => unknown;
  /** What a waiver must name. */
  readonly resources: readonly string[];
}

const add = (id: string, Type: string, Properties: Record<string, unknown>) => (template: Template) => {
  template.Resources[id] = { Type, Properties };
};
const each =
  (...edits: readonly ((template: Template) => unknown)[]) =>
  (template: Template) => {
    for (const edit of edits) edit(template);
  };
const own = 'arn:aws:kms:eu-central-1:111122223333:key/11111111-2222-3333-4444-555555555555';
const functions = ['Submit', 'Inquire', 'Sweep', 'Callback'].map((it) => `${it}LambdaFunction`);

/** The list. */
export const additions: readonly Addition[] = [
  {
    story: 'a second alarm action',
    edit: set('HeldAlarm', 'AlarmActions', [{ Ref: 'PageTopic' }, 'arn:aws:sns:eu-central-1:111122223333:duty']),
    resources: ['HeldAlarm.AlarmActions'],
  },
  {
    story: 'an SSM parameter',
    edit: add('QueueParameter', 'AWS::SSM::Parameter', { Type: 'String', Value: { Ref: 'JobsQueue' } }),
    resources: ['QueueParameter'],
  },
  {
    story: 'a key of their own for the environment',
    edit: each(...functions.map((id) => set(id, 'KmsKeyArn', own))),
    resources: functions.map((id) => `${id}.KmsKeyArn`),
  },
  {
    story: 'x86',
    edit: each(...functions.map((id) => set(id, 'Architectures', ['x86_64']))),
    resources: functions.map((id) => `${id}.Architectures`),
  },
  {
    story: 'signed code',
    edit: each(
      add('Signing', 'AWS::Lambda::CodeSigningConfig', { AllowedPublishers: { SigningProfileVersionArns: ['arn'] } }),
      set('SubmitLambdaFunction', 'CodeSigningConfigArn', { Ref: 'Signing' }),
    ),
    resources: ['Signing', 'SubmitLambdaFunction.CodeSigningConfigArn'],
  },
  {
    story: 'flow logs',
    edit: add('FlowLogs', 'AWS::EC2::FlowLog', { ResourceId: { Ref: 'EgressNetwork' }, ResourceType: 'VPC' }),
    resources: ['FlowLogs'],
  },
  {
    story: 'provisioned concurrency',
    edit: set('SubmitLiveAlias', 'ProvisionedConcurrencyConfig', { ProvisionedConcurrentExecutions: 2 }),
    resources: ['SubmitLiveAlias.ProvisionedConcurrencyConfig'],
  },
  {
    story: 'contributor insights',
    edit: set('LedgerTable', 'ContributorInsightsSpecification', { Enabled: true }),
    resources: ['LedgerTable.ContributorInsightsSpecification'],
  },
  {
    story: 'a backup plan',
    edit: add('Backups', 'AWS::Backup::BackupSelection', { BackupPlanId: 'plan', BackupSelection: {} }),
    resources: ['Backups'],
  },
];
