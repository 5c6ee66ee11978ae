// Every alarm has a source, a reason, a person to tell and a page of the runbook; every page has its alarm.
import { runInNewContext } from 'node:vm';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { comparedByVersion } from '../../lib/aws/cloudwatch-lines.ts';
import { figures } from '../../lib/payout/metrics.ts';
import { metricsOfAlarms, ownNamespace } from './figures-used.ts';
import { type FragmentResource, ofType, resourcesOf, stage } from './fragments.ts';
import { alarmPages } from '../docs/pages.ts';

const alarms = ofType('alarms.yml', 'AWS::CloudWatch::Alarm');
const fragment = readFileSync(new URL('../../infra/alarms.yml', import.meta.url), 'utf8');
const nameOf = (properties: FragmentResource['Properties']) =>
  String(properties['AlarmName']).replace(`payouts-${stage}-`, '');
/** These do not wait for the morning. */
const wakes = new Set(
  [
    'dead-letters-more oldest-job lane-closed message-expiring job-expiring plain-card-data',
    'held-more money-in-doubt doubt-more one-person-two-roles decision-unproven safeguards-changed signature-refusals gateway-errors',
    'callback-contradictions function-errors recursion-stopped sweeper-silent',
  ].flatMap((line) => line.split(' ')),
);
const kebab = (logicalId: string) =>
  logicalId
    .replace(/Alarm$/, '')
    .replaceAll(/(?<!^)[A-Z]/g, '-$&')
    .toLowerCase();

describe('the alarms', () => {
  it('are those that the issue asks for, and some more', () => {
    const asked = [
      ['dead-letters', 'oldest-job', 'oldest-doubt', 'money-in-doubt', 'held', 'signature-refusals'],
      ['gateway-errors', 'throttles', 'function-errors', 'message-expiring', 'plain-card-data'],
    ];
    expect(alarms.map(([, it]) => nameOf(it))).toEqual(expect.arrayContaining(asked.flat()));
  });

  it.each(alarms)('%s has its page, and says where', (logicalId, properties) => {
    const name = nameOf(properties);
    expect(name).toBe(kebab(logicalId));
    expect(alarmPages.get(name)?.text.startsWith(`# ${name}\n`)).toBe(true);
    expect(String(properties['AlarmDescription']).trim().endsWith(` infra/docs/runbook/${name}.md`)).toBe(true);
  });

  it('have between them every page of the runbook', () => {
    expect([...alarmPages.keys()].toSorted()).toEqual(alarms.map(([, it]) => nameOf(it)).toSorted());
  });

  it.each([...alarmPages])('%s: its page is one screen long, and says all that is asked at night', (_, { text }) => {
    const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual(['What it means for money', 'Look at', 'Do', 'Never', 'Over when']);
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(45);
    expect(text).toContain('[Shell set-up](README.md#first-in-your-shell)');
  });

  it.each(alarms)('%s tells one topic that it began and that it ended', (_, properties) => {
    const told = [{ Ref: wakes.has(nameOf(properties)) ? 'PageTopic' : 'TicketTopic' }];
    expect(properties).toMatchObject({ AlarmActions: told, OKActions: told });
  });

  it('wake somebody only where money moves wrongly, stands still or is lost before the morning', () => {
    expect(alarms.map(([, it]) => nameOf(it))).toEqual(expect.arrayContaining([...wakes]));
  });

  it.each(alarms)('%s has its missing data chosen on purpose', (logicalId, properties) => {
    const isSilence = ['SweeperSilentAlarm', 'CanarySilentAlarm'].includes(logicalId);
    expect(properties['TreatMissingData']).toBe(isSilence ? 'breaching' : 'notBreaching');
  });

  // What is zero is not written, and neither is anything while the sweeper is silent: an alarm that ended at the first missing
  // figure would say that doubt is over because nobody has looked.
  it.each(alarms.filter(([logicalId]) => isLevel(logicalId)))(
    '%s ends no sooner than a silent sweeper is heard',
    (_, properties) => {
      const [, silent = {}] = alarms.find(([logicalId]) => logicalId === 'SweeperSilentAlarm') ?? [];
      expect(Number(properties['EvaluationPeriods'])).toBeGreaterThanOrEqual(Number(silent['EvaluationPeriods']));
      expect(Number(properties['DatapointsToAlarm'])).toBeLessThan(Number(properties['EvaluationPeriods']));
    },
  );

  it.each(alarms)('%s has a reason written at its threshold', (logicalId) => {
    const text = fragment.slice(fragment.indexOf(`  ${logicalId}:\n`));
    const before = text.slice(0, text.indexOf('      Threshold:'));
    expect(before.trimEnd().split('\n').at(-1)).toMatch(/^ +# /);
  });

  it.each(alarms)('%s takes at most ten metrics, and returns one', (_, properties) => {
    const metrics = (properties['Metrics'] ?? [{ ReturnData: true }]) as readonly { readonly ReturnData: boolean }[];
    expect(metrics.filter(({ ReturnData }) => ReturnData)).toHaveLength(1);
    expect(metrics.length).toBeLessThanOrEqual(11);
  });
});

describe('a metric that an alarm waits for', () => {
  const named = metricsOfAlarms();

  it('of the worker itself is one that it publishes, with those dimensions', () => {
    const own = named.filter(({ namespace }) => namespace === ownNamespace);
    expect(own.length).toBeGreaterThan(10);
    const unknown = own.filter(
      ({ name, dimensions }) =>
        !(name in figures) ||
        (dimensions.length > 0 && !(comparedByVersion.some((it) => it === name) && dimensions.join() === 'version')),
    );
    expect(unknown).toEqual([]);
  });

  it('of AWS is of a resource of this stack', () => {
    const foreign = named.filter(({ namespace }) => namespace !== ownNamespace);
    expect([...new Set(foreign.map(({ namespace }) => namespace))].toSorted()).toEqual([
      'AWS/DynamoDB',
      'AWS/Lambda',
      'AWS/SQS',
    ]);
    expect(foreign.filter(({ dimensions }) => dimensions.length === 0)).toEqual([]);
  });
});

it('the ages that the expiry alarm divides by are the times that the queues leave, at worst', () => {
  const queues = resourcesOf('queues.yml');
  const [, properties = {}] = alarms.find(([logicalId]) => logicalId === 'MessageExpiringAlarm') ?? [];
  const metrics = properties['Metrics'] as readonly {
    readonly Id: string;
    readonly Expression?: string;
    readonly MetricStat?: { readonly Metric: { readonly Dimensions: readonly [{ readonly Value: object }] } };
  }[];
  const shares = [...(metrics[0]?.Expression ?? '').matchAll(/FILL\((\w+), 0\) \/ (\d+)/g)];
  expect(shares).toHaveLength(Object.keys(queues).length);
  // A dead letter was moved after at most the retention of its source, and is deleted by its first sending.
  const sources = Object.values(queues).flatMap(({ Properties }) => {
    const { deadLetterTargetArn: target } = (Properties['RedrivePolicy'] ?? {}) as Record<string, object>;
    const [queue] = Object.values(target ?? {}).flat() as string[];
    // A dead letter of a job is sent anew by the worker, and is taken for one of ten days all the same.
    const seconds = Math.min(Number(Properties['MessageRetentionPeriod']), 864_000);
    return queue === undefined ? [] : [[queue, seconds] as const];
  });
  const usedBefore = new Map(sources);
  for (const [, id, seconds] of shares) {
    const value = metrics.find((it) => it.Id === id)?.MetricStat?.Metric.Dimensions[0].Value ?? {};
    const [queue = ''] = Object.values(value).flat() as string[];
    const kept = Number(queues[queue]?.Properties['MessageRetentionPeriod']);
    expect([queue, kept - (usedBefore.get(queue) ?? 0)]).toEqual([queue, Number(seconds)]);
  }
});

describe('what comes again on a queue with dead letters', () => {
  const [, properties = {}] = alarms.find(([logicalId]) => logicalId === 'MessageReturningAlarm') ?? [];
  const metrics = properties['Metrics'] as readonly {
    readonly Id: string;
    readonly Expression?: string;
    readonly MetricStat?: { readonly Metric: { readonly MetricName: string }; readonly Period: number };
  }[];
  const named = new Map(metrics.map(({ Id, MetricStat }) => [Id, MetricStat]));
  const figureOf = { ChecksQueue: 'checkReceives', CallbacksQueue: 'callbackReceives', LinesQueue: 'lineReceives' };
  const receivesOf = (it: FragmentResource['Properties']) =>
    Number((it['RedrivePolicy'] as { readonly maxReceiveCount: number }).maxReceiveCount);
  const own = ofType('queues.yml', 'AWS::SQS::Queue')
    .filter(([, it]) => it['RedrivePolicy'] !== undefined)
    // Of jobs and rows the worker itself counts, and lays them aside before (MAX_RECEIVE_COUNT); results are read by somebody else.
    .filter(([queue]) => !['JobsQueue', 'BatchJobsQueue', 'ResultsQueue'].includes(queue));

  it('is told beside the receives that the template gives it, of each queue of the worker’s own', () => {
    const shares = [...(metrics[0]?.Expression ?? '').matchAll(/FILL\((\w+), 0\) \/ (\d+)/g)];
    expect(shares.map(([, id = '', count]) => [named.get(id)?.Metric.MetricName, Number(count)])).toEqual(
      own.map(([queue, it]) => [figureOf[queue as keyof typeof figureOf], receivesOf(it)]),
    );
  });

  it.each(own)('of %s rings half a day before it is a dead letter, and stands until it has come again', (_, it) => {
    const visibilitySeconds = Number(it['VisibilityTimeout']);
    const left = receivesOf(it) * (1 - Number(properties['Threshold']));
    expect(left * visibilitySeconds).toBeGreaterThanOrEqual(12 * 3_600);
    const periods = [...named.values()].flatMap((stat) => (stat ? [stat.Period] : []));
    expect(Math.min(...periods)).toBeGreaterThan(visibilitySeconds);
  });
});

describe('the alarm of canaries', () => {
  const [, { Metrics } = { Metrics: [] }] = alarms.find(([logicalId]) => logicalId === 'CanaryFailingAlarm') ?? [];
  const [failing] = Metrics as readonly { readonly Expression?: string }[];
  const expression = (failing?.Expression ?? '').replaceAll(' AND ', ' && ').replaceAll(' OR ', ' || ');
  type Figure = number | undefined;
  const IF = (holds: boolean, so: number, otherwise: number) => (holds ? so : otherwise);
  const FILL = (value: number | undefined, otherwise: number) => value ?? otherwise;

  // Five minutes: sent by the sweeper, answered by all, of these by the new version; failed at the new version, and at the one before.
  it.each<
    [story: string, rings: boolean, sent?: Figure, answered?: Figure, own?: Figure, failed?: Figure, before?: Figure]
  >([
    ['all is well while a tenth goes to the new version', false, 5, 5, 1],
    ['the new version fails at one, and the version before answers it at its next try', true, 5, 5, undefined, 1],
    ['the new version fails at all that it is given', true, 5, 4, undefined, 2],
    ['two are lost without a word', true, 5, 3],
    ['the last is still under way', false, 5, 4],
    ['the gateway answers neither version', false, 5, undefined, undefined, 3],
    ['the gateway fails both versions for two minutes of the five', false, 5, 3, undefined, 1, 1],
    ['the gateway fails the version before, which waits for two', false, 5, 3, undefined, undefined, 2],
    ['the new version alone is in use, and its gateway fails', false, 5, 2, 2, 3],
    ['an hour’s canary without a rollout', false, 1, 1, 1],
    ['nothing is sent', false],
  ])('rings where the new version alone fails: %s', (_, rings, sent, answered, own, failed, before) => {
    const allFailed = failed === undefined && before === undefined ? undefined : (failed ?? 0) + (before ?? 0);
    expect(runInNewContext(expression, { IF, FILL, sent, answered, own, failed, allFailed })).toBe(rings ? 1 : 0);
  });
});

describe('the sweepers', () => {
  const [, { Metrics } = { Metrics: [] }] = alarms.find(([logicalId]) => logicalId === 'SweeperSilentAlarm') ?? [];
  const [product, ...parts] = Metrics as readonly {
    readonly Id: string;
    readonly Expression?: string;
    readonly MetricStat?: { readonly Metric: { readonly MetricName: string } };
  }[];

  it('are each waited for: as many as the schedules of sweep', () => {
    const { sweep } = parse(readFileSync(new URL('../../infra/functions.yml', import.meta.url), 'utf8')) as {
      readonly sweep: {
        readonly events: readonly { readonly schedule: { readonly input: { readonly part: number } } }[];
      };
    };
    const scheduled = sweep.events.map(({ schedule }) => `sweptPart${schedule.input.part}`);
    expect(parts.map(({ MetricStat }) => MetricStat?.Metric.MetricName)).toEqual(scheduled);
    expect(product?.Expression).toBe(parts.map(({ Id }) => Id).join(' * '));
  });

  it.each([0, 1, 2, 3])('ring where part %i alone is silent', (silent) => {
    // As CloudWatch counts: a missing figure is zero in a product.
    const sums = parts.map((_, part) => (part === silent ? undefined : 1));
    const value = sums.reduce<number>((so, it) => so * (it ?? 0), 1);
    expect(value < Number(alarms.find(([id]) => id === 'SweeperSilentAlarm')?.[1]['Threshold'])).toBe(true);
  });
});

describe.each(['Page', 'Ticket'])('the topic %s', (name) => {
  const resources = resourcesOf('alarms.yml');

  it('is encrypted with the key, refuses plain HTTP, and takes alarms of this account alone', () => {
    expect(resources[`${name}Topic`]?.Properties['KmsMasterKeyId']).toEqual({ 'Fn::GetAtt': ['WorkerKey', 'Arn'] });
    const Resource = { Ref: `${name}Topic` };
    expect(resources[`${name}TopicPolicy`]?.Properties['Topics']).toEqual([Resource]);
    expect(resources[`${name}TopicPolicy`]?.Properties['PolicyDocument']).toMatchObject({
      Statement: [
        { Effect: 'Deny', Principal: '*', Resource, Condition: { Bool: { 'aws:SecureTransport': 'false' } } },
        {
          Effect: 'Allow',
          Principal: { Service: 'cloudwatch.amazonaws.com' },
          Action: 'sns:Publish',
          Resource,
          Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
        },
      ],
    });
  });

  it('has a mailbox only where one is given', () => {
    expect(resources[`${name}EmailSubscription`]).toMatchObject({
      Condition: name === 'Page' ? 'OperatorEmailOn' : 'TicketEmailOn',
      Properties: { TopicArn: { Ref: `${name}Topic` } },
    });
  });
});

const measured = new Set(['held', 'unreadable', 'overdue', 'oldestDoubtSeconds', 'doubtOfLimit']);

/** Measured by each sweep; what a sweep tells once is an event, and ends by itself. */
function isLevel(logicalId: string): boolean {
  return metricsOfAlarms().some(({ where, name }) => where === logicalId && measured.has(name));
}
