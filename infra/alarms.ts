// The alarms, a row each, and their dashboard; serverless.yml reads `resources`. Each row has a section of its name in
// infra/docs/runbook.md. A page wakes a person: money may move wrongly, does not move, or is lost before the next working day. A ticket
// waits for the morning. Missing data raises no alarm, except for the sweeper.
import { readStage } from './stage.ts';

/** A metric: of the worker, of a queue, or of a function. */
interface Metric {
  readonly of: string;
  readonly stat: string;
  readonly queue?: string;
  readonly fn?: string;
}
type Metrics = Readonly<Record<string, Metric>>;

interface Row {
  readonly to: 'page' | 'ticket';
  readonly says: string;
  /** By the names that `is` uses. */
  readonly metrics: Metrics;
  /** The expression that the alarm watches. Default: the only metric. */
  readonly is?: string;
  readonly above?: number;
  readonly below?: number;
  /** Minutes of one data point; default 1. */
  readonly minutes?: number;
  /** How many data points must be beyond the threshold; default 1. */
  readonly times?: number;
  /** Out of how many; default `times`. Levels that the sweep writes have 5: the alarm ends five minutes after the last data point. */
  readonly within?: number;
  /** True if missing data raises the alarm. */
  readonly silence?: boolean;
}

const own = (of: string, stat = 'Sum'): Metric => ({ of, stat });
const level = (of: string): Metric => own(of, 'Maximum');
const waiting = (queue: string): Metric => ({ of: 'ApproximateNumberOfMessagesVisible', stat: 'Maximum', queue });
const age = (queue: string): Metric => ({ of: 'ApproximateAgeOfOldestMessage', stat: 'Maximum', queue });
const errors = (fn: string): Metric => ({ of: 'Errors', stat: 'Sum', fn });
const sum = (metrics: Metrics) =>
  Object.keys(metrics)
    .map((it) => `FILL(${it},0)`)
    .join('+');

const day = 86_400;
/** Days that each queue keeps a message. A dead letter keeps its age: here is the least that it has left. */
const keptDays: Readonly<Record<string, number>> = {
  jobs: 14,
  'batch-jobs': 14,
  results: 10,
  checks: 10,
  'jobs-dead': 4,
  'results-dead': 4,
  'checks-dead': 4,
};
const kept = Object.keys(keptDays).map((queue) => [queue.replaceAll('-', ''), queue] as const);

const summed = (metrics: Metrics): Pick<Row, 'metrics' | 'is'> => ({ metrics, is: sum(metrics) });

const rows: Readonly<Record<string, Row>> = {
  // Money.
  'money-in-doubt': {
    to: 'page',
    says: 'Money in doubt has reached the limit of its currency: it may have moved, and the gateway has not said so.',
    metrics: { share: level('doubtOfLimit') },
    above: 0.999,
    within: 5,
  },
  'after-the-end': {
    to: 'page',
    says: 'The gateway contradicts a published end, or undid a payment: an order may be paid twice, or still be owed.',
    ...summed({ contradictions: own('callbackContradictions'), reversals: own('reversals') }),
    above: 0,
  },
  'ledger-unknown': {
    to: 'page',
    says: 'A table of the worker is missing, or is not the one that was used until now. Nothing is sent, asked or stored.',
    metrics: { looks: own('ledgerUnknown') },
    above: 0,
  },
  held: {
    to: 'ticket',
    says: 'Orders wait for a person. Nothing moves them but a decision.',
    metrics: { held: level('held') },
    above: 0,
    within: 5,
  },
  // One order that a person is looking into must not hide the next 500.
  'held-more': {
    to: 'page',
    says: 'Five or more orders began to wait for a person within a quarter of an hour.',
    metrics: { more: own('becameHeld') },
    above: 4,
    minutes: 15,
  },
  // Inquiries are at most an hour apart and the quiet period is half an hour: after two hours the gateway does not answer.
  'oldest-doubt': {
    to: 'ticket',
    says: 'The gateway has not said for two hours what became of an order that it may have taken.',
    metrics: { seconds: level('oldestDoubtSeconds') },
    above: 7200,
    within: 5,
  },
  'accepted-overdue': {
    to: 'ticket',
    says: 'The gateway took orders days ago and has not said how they ended.',
    metrics: { overdue: level('overdue') },
    above: 0,
    within: 5,
  },
  batches: {
    to: 'ticket',
    says: 'A batch differs from the totals of its file, or its upload was abandoned half way.',
    ...summed({ unbalanced: own('batchesUnbalanced'), left: own('batchesLeft') }),
    above: 0,
    minutes: 15,
  },
  // A person who tries this with the tool may also try it without.
  'two-persons': {
    to: 'page',
    says: 'Safeguards of a merchant changed, or one person acted in a place of two.',
    ...summed({
      both: own('onePersonTwoRoles'),
      unproven: own('decisionsUnproven'),
      changed: own('safeguardsChanged'),
    }),
    above: 0,
    minutes: 5,
  },
  'plain-card-data': {
    to: 'page',
    says: 'A sender puts card numbers or CVVs on the queue in clear (PCI DSS 3.3.1). The job was refused.',
    metrics: { refused: own('plainCardDataRefused') },
    above: 0,
  },
  'jobs-unopened': {
    to: 'page',
    says: 'Parked jobs cannot be opened: KMS does not answer, or the key of what waits is gone. They wait, unpaid.',
    metrics: { unopened: own('jobsUnopened') },
    above: 0,
    minutes: 5,
  },
  // Happens after a return to an earlier release. No sum counts the money of these orders.
  'orders-unreadable': {
    to: 'ticket',
    says: 'This release cannot read open orders: a newer one wrote them.',
    metrics: { orders: level('unreadable') },
    above: 0,
    times: 6,
    within: 10,
  },

  // The gateway.
  'signature-refusals': {
    to: 'page',
    says: "The gateway refuses a merchant's signature or login: its orders wait, unpaid.",
    metrics: { refusals: own('signatureRefusals') },
    above: 0,
  },
  // Single resets are normal, and a share of fewer than ten calls means nothing.
  'gateway-errors': {
    to: 'page',
    says: 'More than a fifth of the calls to the gateway fail: each failed POST is an order in doubt or late.',
    metrics: { calls: own('gatewayCalls'), failed: own('gatewayErrors') },
    is: 'IF(calls>=10,100*FILL(failed,0)/calls,0)',
    above: 20,
    minutes: 5,
    times: 2,
  },
  // After most troubles one of the first five probes opens the lane: they take less than two quarters of an hour.
  'lane-closed': {
    to: 'page',
    says: 'Jobs have waited for half an hour for an endpoint that takes nothing.',
    ...summed({ jobs: own('jobsBraked'), payoutsOfBatches: own('rowsBraked') }),
    above: 0,
    minutes: 15,
    times: 2,
  },

  // Messages.
  // A message that cannot be parked comes again every three minutes: ten times in a row is a fault.
  'oldest-job': {
    to: 'page',
    says: 'No worker has taken jobs for more than half an hour: payouts are late.',
    metrics: { jobs: age('jobs'), batchJobs: age('batch-jobs') },
    is: 'MAX([FILL(jobs,0),FILL(batchJobs,0)])',
    above: 1800,
    times: 5,
  },
  'oldest-wait': {
    to: 'ticket',
    says: 'A job could have been sent an hour ago, or a payout of a batch a day ago, and still waits.',
    metrics: { jobs: level('jobWaitSeconds'), payoutsOfBatches: level('rowWaitSeconds') },
    is: `MAX([FILL(jobs,0)/3600,FILL(payoutsOfBatches,0)/${day}])`,
    above: 1,
    minutes: 15,
  },
  // One is enough: each dead letter is a payout that is not made, a job of an order that is still held, or an answer that only this queue knows.
  'jobs-dead': {
    to: 'ticket',
    says: 'Jobs are on the dead-letter queue: refused, or never sent. They are paid only after a person has looked.',
    metrics: { letters: waiting('jobs-dead') },
    above: 0,
  },
  'results-dead': {
    to: 'ticket',
    says: 'The consumer could not take results: it does not know what became of these orders.',
    metrics: { letters: waiting('results-dead') },
    above: 0,
  },
  'checks-dead': {
    to: 'page',
    says: 'Answers could not be stored for hours: only this queue knows them.',
    metrics: { letters: waiting('checks-dead') },
    above: 0,
  },
  'message-expiring': {
    to: 'page',
    says: 'A message has used six tenths of the time that its queue keeps it. SQS then deletes it.',
    metrics: Object.fromEntries(kept.map(([id, queue]) => [id, age(queue)])),
    is: `MAX([${kept.map(([id, queue]) => `FILL(${id},0)/${(keptDays[queue] ?? 0) * day}`).join(',')}])`,
    above: 0.6,
    minutes: 5,
  },

  // The worker.
  'function-errors': {
    to: 'page',
    says: 'Invocations crash or run out of time. Whatever submit had under way is in doubt.',
    ...summed({
      submit: errors('submit'),
      inquire: errors('inquire'),
      callback: errors('callback'),
      door: errors('door'),
    }),
    above: 0,
  },
  'sweeper-silent': {
    to: 'page',
    says: 'The sweeper has been silent for five minutes: waiting orders are not moved on, and doubt is not measured.',
    metrics: { swept: own('swept') },
    below: 1,
    times: 5,
    silence: true,
  },
};

/** The further charts of the dashboard. */
const charts: Readonly<Record<string, Metrics>> = {
  'What orders became': {
    accepted: own('becameAccepted'),
    approved: own('becameApproved'),
    declined: own('becameDeclined'),
    failed: own('becameFailed'),
    inDoubt: own('becameInDoubt'),
  },
  'Calls to the gateway': { calls: own('gatewayCalls'), errors: own('gatewayErrors') },
  'Jobs that wait': { jobs: level('waitingJobs'), payoutsOfBatches: level('waitingRows') },
  Queues: {
    jobs: waiting('jobs'),
    batchJobs: waiting('batch-jobs'),
    results: waiting('results'),
    checks: waiting('checks'),
  },
  Callbacks: { forged: own('callbacksForged'), surprises: own('callbackSurprises') },
};

const camel = (text: string) => text.replaceAll(/(^|-)([a-z])/g, (_all, _dash, letter: string) => letter.toUpperCase());

/** How a file reads values of serverless.yml in osls. */
interface Framework {
  resolveVariable(name: string): Promise<unknown>;
}

/** Topics, alarms and dashboard of a stage. Throws if the stage file does not fit its schema. */
export async function resources({ resolveVariable }: Framework) {
  const name = String(await resolveVariable('sls:stage'));
  const { pageEmail, ticketEmail } = readStage(name, await resolveVariable('self:custom.stage'));
  return {
    Resources: {
      ...topic('page', name, pageEmail),
      ...topic('ticket', name, ticketEmail),
      ...Object.fromEntries(Object.entries(rows).map(([alarm, row]) => alarmOf(alarm, row, name))),
      Dashboard: dashboard(name),
    },
  };
}

function alarmOf(name: string, row: Row, stage: string) {
  const { to, says, metrics, is, above, below, minutes = 1, times = 1, within = times, silence = false } = row;
  const all = Object.entries(metrics).map(([Id, metric]) => ({
    Id,
    ReturnData: is === undefined,
    MetricStat: { Metric: named(metric, stage), Period: minutes * 60, Stat: metric.stat },
  }));
  const topics = [{ Ref: `${camel(to)}Topic` }];
  const Properties = {
    AlarmName: `payouts-${stage}-${name}`,
    AlarmDescription: `${says} infra/docs/runbook.md#${name}`,
    Metrics: is === undefined ? all : [{ Id: 'result', Expression: is, Label: name, ReturnData: true }, ...all],
    Threshold: above ?? below,
    ComparisonOperator: above === undefined ? 'LessThanThreshold' : 'GreaterThanThreshold',
    EvaluationPeriods: within,
    DatapointsToAlarm: times,
    TreatMissingData: silence ? 'breaching' : 'notBreaching',
    AlarmActions: topics,
    OKActions: topics,
  };
  return [`${camel(name)}Alarm`, { Type: 'AWS::CloudWatch::Alarm', Properties }] as const;
}

function named({ of, queue, fn }: Metric, stage: string) {
  const Dimensions = [
    ...(queue ? [{ Name: 'QueueName', Value: `payouts-${stage}-${queue}` }] : []),
    ...(fn ? [{ Name: 'FunctionName', Value: `payouts-${stage}-${fn}` }] : []),
  ];
  return { Namespace: queue ? 'AWS/SQS' : fn ? 'AWS/Lambda' : `Payouts/${stage}`, MetricName: of, Dimensions };
}

function topic(kind: 'page' | 'ticket', stage: string, email: string | null) {
  const id = `${camel(kind)}Topic`;
  const Resource = { Ref: id };
  const publish = { Principal: '*', Action: 'sns:Publish', Resource };
  const alarmsOfStage = `arn:\${AWS::Partition}:cloudwatch:\${AWS::Region}:\${AWS::AccountId}:alarm:payouts-${stage}-*`;
  const Statement = [
    { Sid: 'RefusePlainHttp', Effect: 'Deny', ...publish, Condition: { Bool: { 'aws:SecureTransport': 'false' } } },
    {
      Sid: 'Alarms',
      Effect: 'Allow',
      ...publish,
      Principal: { Service: 'cloudwatch.amazonaws.com' },
      Condition: {
        StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } },
        ArnLike: { 'aws:SourceArn': { 'Fn::Sub': alarmsOfStage } },
      },
    },
  ];
  const KmsMasterKeyId = { 'Fn::GetAtt': ['WorkerKey', 'Arn'] };
  return {
    [id]: { Type: 'AWS::SNS::Topic', Properties: { TopicName: `payouts-${stage}-${kind}`, KmsMasterKeyId } },
    [`${id}Policy`]: {
      Type: 'AWS::SNS::TopicPolicy',
      Properties: { Topics: [Resource], PolicyDocument: { Version: '2012-10-17', Statement } },
    },
    ...(email !== null && {
      [`${camel(kind)}Mail`]: {
        Type: 'AWS::SNS::Subscription',
        Properties: { TopicArn: Resource, Protocol: 'email', Endpoint: email },
      },
    }),
  };
}

/** The state of all alarms, a chart of each alarm with its threshold, then the other charts. */
function dashboard(stage: string) {
  const region = '${AWS::Region}';
  const lines = (metrics: Metrics, isHidden: boolean) =>
    Object.entries(metrics).map(([id, metric]) => {
      const { Namespace, MetricName, Dimensions } = named(metric, stage);
      const place = [Namespace, MetricName, ...Dimensions.flatMap(({ Name, Value }) => [Name, Value])];
      return [...place, { id, label: id, stat: metric.stat, ...(isHidden && { visible: false }) }];
    });
  const chart = (title: string, height: number, properties: object) => ({
    type: 'metric',
    width: 6,
    height,
    properties: { title, region, ...properties },
  });
  const arn = `arn:\${AWS::Partition}:cloudwatch:${region}:\${AWS::AccountId}:alarm:payouts-${stage}-`;
  const widgets = [
    {
      type: 'alarm',
      width: 24,
      height: 4,
      properties: { title: 'Alarms (infra/docs/runbook.md)', alarms: Object.keys(rows).map((name) => arn + name) },
    },
    ...Object.entries(rows).map(([name, { metrics, is, above, below, minutes = 1 }]) =>
      chart(name, 5, {
        period: minutes * 60,
        annotations: { horizontal: [{ value: above ?? below }] },
        metrics: [
          ...(is ? [[{ expression: is, id: 'result', label: name }]] : []),
          ...lines(metrics, is !== undefined),
        ],
      }),
    ),
    ...Object.entries(charts).map(([title, metrics]) =>
      chart(title, 5, { period: 300, metrics: lines(metrics, false) }),
    ),
  ];
  return {
    Type: 'AWS::CloudWatch::Dashboard',
    Properties: { DashboardName: `payouts-${stage}`, DashboardBody: { 'Fn::Sub': JSON.stringify({ widgets }) } },
  };
}
