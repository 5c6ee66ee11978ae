// Every alarm has a source, a reason, a person to tell and a page of the runbook; every page has its alarm.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { figures, moneyMetrics } from '../../lib/payout/metrics.ts';
import { metricsOfAlarms, ownNamespace } from './figures-used.ts';
import { type FragmentResource, ofType, resourcesOf, stage } from './fragments.ts';
import { alarmPages } from '../docs/pages.ts';

const alarms = ofType('alarms.yml', 'AWS::CloudWatch::Alarm');
const fragment = readFileSync(new URL('../../infra/alarms.yml', import.meta.url), 'utf8');
const nameOf = (properties: FragmentResource['Properties']) =>
  String(properties['AlarmName']).replace(`payouts-${stage}-`, '');
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

  it.each(alarms)('%s tells the operators that it began and that it ended', (_, properties) => {
    const told = [{ Ref: 'OperatorTopic' }];
    expect(properties).toMatchObject({ AlarmActions: told, OKActions: told });
  });

  it.each(alarms)('%s has its missing data chosen on purpose', (logicalId, properties) => {
    const isLevel = metricsOfAlarms().some(
      ({ where, name }) => where === logicalId && name in figures && isPublishedBySweep(name),
    );
    const chosen = logicalId === 'SweeperSilentAlarm' ? 'breaching' : isLevel ? 'ignore' : 'notBreaching';
    expect(properties['TreatMissingData']).toBe(chosen);
  });

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
    const unknown = own.filter(({ name, dimensions }) => !(name in figures) || dimensions.length > 0);
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
  expect(shares).toHaveLength(8);
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

describe('the topic of the operators', () => {
  const resources = resourcesOf('alarms.yml');

  it('is encrypted with the key, refuses plain HTTP, and takes alarms of this account alone', () => {
    expect(resources['OperatorTopic']?.Properties['KmsMasterKeyId']).toEqual({ 'Fn::GetAtt': ['WorkerKey', 'Arn'] });
    expect(resources['OperatorTopicPolicy']?.Properties['PolicyDocument']).toMatchObject({
      Statement: [
        { Effect: 'Deny', Principal: '*', Condition: { Bool: { 'aws:SecureTransport': 'false' } } },
        {
          Effect: 'Allow',
          Principal: { Service: 'cloudwatch.amazonaws.com' },
          Action: 'sns:Publish',
          Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
        },
      ],
    });
  });

  it('has a mailbox only where one is given', () => {
    expect(resources['OperatorEmailSubscription']).toMatchObject({ Condition: 'OperatorEmailOn' });
  });
});

/** What a sweep tells once is an event: it ends by itself. */
const toldOnce = new Set(['onePersonTwoRoles']);

function isPublishedBySweep(name: string): boolean {
  return (
    !toldOnce.has(name) &&
    new Map<string, { readonly by: string }>(Object.entries({ ...figures, ...moneyMetrics })).get(name)?.by === 'sweep'
  );
}
