// What each alarm must hear, and how soon: figures as CloudWatch would have them, worked through the alarm of the template.
import { textOf } from '../rights/policy.ts';
import { listOf, ofType, recordOf, type Resource, type Stack, targetOf } from '../support/stack.ts';

type Figures = Readonly<Record<string, number>>;
interface Story {
  readonly to: 'page' | 'ticket';
  /** The alarm rings if these figures last for so many minutes. */
  readonly minutes: number;
  /** Each rings by itself. A figure of the worker by its name, of a queue or function by that and the metric's. */
  readonly hears: readonly Figures[];
}

const waiting = 'ApproximateNumberOfMessagesVisible';
const age = 'ApproximateAgeOfOldestMessage';
const day = 86_400;
const page = (minutes: number, ...hears: readonly Figures[]): Story => ({ to: 'page', minutes, hears });
const ticket = (minutes: number, ...hears: readonly Figures[]): Story => ({ to: 'ticket', minutes, hears });

const stories: Readonly<Record<string, Story>> = {
  'money-in-doubt': page(1, { doubtOfLimit: 1 }),
  'after-the-end': page(1, { callbackContradictions: 1 }, { reversals: 1 }),
  'ledger-unknown': page(1, { ledgerUnknown: 1 }),
  held: ticket(1, { held: 1 }),
  'held-more': page(15, { becameHeld: 5 }),
  'oldest-doubt': ticket(1, { oldestDoubtSeconds: 2 * 3600 + 1 }),
  'accepted-overdue': ticket(1, { overdue: 1 }),
  batches: ticket(15, { batchesUnbalanced: 1 }, { batchesLeft: 1 }),
  'two-persons': page(5, { onePersonTwoRoles: 1 }, { decisionsUnproven: 1 }, { safeguardsChanged: 1 }),
  'plain-card-data': page(1, { plainCardDataRefused: 1 }),
  'jobs-unopened': page(5, { jobsUnopened: 1 }),
  'orders-unreadable': ticket(6, { unreadable: 1 }),
  'signature-refusals': page(1, { signatureRefusals: 1 }),
  'gateway-errors': page(10, { gatewayCalls: 10, gatewayErrors: 3 }),
  'lane-closed': page(30, { jobsBraked: 1 }, { rowsBraked: 1 }),
  'oldest-job': page(5, { [`jobs ${age}`]: 1801 }, { [`batch-jobs ${age}`]: 1801 }),
  'oldest-wait': ticket(15, { jobWaitSeconds: 3601 }, { rowWaitSeconds: day + 1 }),
  'jobs-dead': ticket(1, { [`jobs-dead ${waiting}`]: 1 }),
  'results-dead': ticket(1, { [`results-dead ${waiting}`]: 1 }),
  'checks-dead': page(1, { [`checks-dead ${waiting}`]: 1 }),
  'order-paid-dead': ticket(1, { [`order-paid-dead ${waiting}`]: 1 }),
  // Seven tenths of the time that a queue keeps a message; a dead letter has used up to ten of its fourteen days.
  'message-expiring': page(
    5,
    ...['jobs', 'batch-jobs'].map((queue) => ({ [`${queue} ${age}`]: 0.7 * 14 * day })),
    ...['results', 'checks'].map((queue) => ({ [`${queue} ${age}`]: 0.7 * 10 * day })),
    ...['jobs-dead', 'results-dead', 'checks-dead'].map((queue) => ({ [`${queue} ${age}`]: 0.7 * 4 * day })),
  ),
  'function-errors': page(
    1,
    { 'submit Errors': 1 },
    { 'inquire Errors': 1 },
    { 'callback Errors': 1 },
    { 'door Errors': 1 },
  ),
  'sweeper-silent': page(5, {}),
};

/** Which alarms are missing, late, deaf, loud without a cause, or tell the wrong people. */
export function ringing(stack: Stack): readonly string[] {
  const alarms = new Map(
    ofType(stack, 'AWS::CloudWatch::Alarm').map((it) => [
      textOf(it.properties['AlarmName']).replace(/^payouts-[a-z0-9]+-/, ''),
      it,
    ]),
  );
  const swept = { swept: 1 };
  return [
    ...[...alarms.keys()].filter((name) => !(name in stories)).map((name) => `no story says when ${name} rings`),
    ...Object.entries(stories).flatMap(([name, { to, minutes, hears }]) => {
      const alarm = alarms.get(name);
      if (!alarm) return name === 'order-paid-dead' && !stack.has('OrderPaidRule') ? [] : [`there is no ${name}`];
      const topic = textOf(listOf(alarm.properties['AlarmActions'])[0]);
      return [
        ...(topic === `\${${to === 'page' ? 'Page' : 'Ticket'}Topic}` ? [] : [`${name} tells ${topic}`]),
        ...hears
          .filter((figures) => !rings(stack, alarm, figures))
          .map((figures) => `${name} is silent at ${JSON.stringify(figures)}`),
        ...(rings(stack, alarm, swept) ? [`${name} rings for nothing`] : []),
        ...(minutesOf(alarm) <= minutes ? [] : [`${name} rings after ${minutesOf(alarm)} minutes`]),
      ];
    }),
  ];
}

interface Source {
  readonly id: string;
  readonly figure: string;
  readonly seconds: number;
}

/** The metrics of an alarm, in either form of a template. */
function sourcesOf(stack: Stack, { properties: its }: Resource): readonly Source[] {
  const figureOf = (metric: Readonly<Record<string, unknown>>, stat: unknown) => {
    const { Namespace, MetricName, Dimensions } = metric;
    const dimensions = listOf(Dimensions).map(recordOf);
    const own = String(Namespace).startsWith('Payouts/');
    const [{ Name = '', Value = '' } = {}] = dimensions;
    const isKnown = own
      ? dimensions.length === 0
      : dimensions.length === 1 && Name === (Namespace === 'AWS/SQS' ? 'QueueName' : 'FunctionName');
    // A level has a figure a minute, and a count that of each call: the least of them, or their mean, hides the one that matters.
    if (!isKnown || (stat !== 'Sum' && stat !== 'Maximum')) return 'none';
    const name = textOf(targetOf(stack, Value)?.properties['QueueName'] ?? Value).replace(/^payouts-[a-z0-9]+-/, '');
    return own ? String(MetricName) : `${name} ${String(MetricName)}`;
  };
  if (its['Metrics'] === undefined)
    return [{ id: 'only', figure: figureOf(its, its['Statistic']), seconds: Number(its['Period']) }];
  return listOf(its['Metrics'])
    .map(recordOf)
    .filter((one) => one['MetricStat'] !== undefined)
    .map((one) => {
      const { Metric, Stat, Period } = recordOf(one['MetricStat']);
      return { id: String(one['Id']), figure: figureOf(recordOf(Metric), Stat), seconds: Number(Period) };
    });
}

/** How long figures last until it rings. */
function minutesOf({ properties: its }: Resource): number {
  const first = listOf(its['Metrics'])
    .map((one) => recordOf(recordOf(one)['MetricStat'])['Period'])
    .find(Boolean);
  const times = Number(its['DatapointsToAlarm'] ?? its['EvaluationPeriods']);
  return (times * Number(first ?? its['Period'])) / 60;
}

/** Whether it is beyond its threshold while figures are these; another one is not there. */
function rings(stack: Stack, alarm: Resource, figures: Figures): boolean {
  const { Metrics, ComparisonOperator, Threshold } = alarm.properties;
  const sources = sourcesOf(stack, alarm);
  const returned =
    listOf(Metrics)
      .map(recordOf)
      .find((one) => one['ReturnData'] === true) ?? {};
  const expression = String(returned['Expression'] ?? returned['Id'] ?? 'only');
  const functions = {
    FILL: (value: number) => value,
    MAX: (values: readonly number[]) => Math.max(...values),
    IF: (holds: boolean, value: number, otherwise: number) => (holds ? value : otherwise),
  };
  // The mathematics of CloudWatch that the template uses are also JavaScript's.
  // oxlint-disable-next-line no-new-func
  const worked = new Function(...Object.keys(functions), ...sources.map(({ id }) => id), `return ${expression}`);
  const is = Number(worked(...Object.values(functions), ...sources.map(({ figure }) => figures[figure] ?? 0)));
  return ComparisonOperator === 'LessThanThreshold' ? is < Number(Threshold) : is > Number(Threshold);
}
