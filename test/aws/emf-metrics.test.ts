// MetricValues as CloudWatch reads them out of the log: one line of JSON an invocation and currency, the dimensions named.
import { expect, it } from 'vitest';
import type { MetricValues } from '../../lib/payout/ports.ts';
import { createEmfMetrics } from '../../lib/aws/cloudwatch-lines.ts';

const noMoney: MetricValues['perCurrency'] = new Map();

function published({ values = {}, perCurrency = noMoney }: Partial<MetricValues>): Record<string, unknown>[] {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const metrics = createEmfMetrics({ write, nowMs: () => 1_795_255_200_000, namespace: 'Payouts/test' });
  metrics.publish({ values, perCurrency });
  expect(lines.filter((line) => line.includes('\n'))).toEqual([]);
  return lines.map((line) => JSON.parse(line));
}

it('the figures of an invocation are one line without dimensions, each with its unit', () => {
  const Metrics = [
    { Name: 'jobsIn', Unit: 'Count' },
    { Name: 'postLatencyMs', Unit: 'Milliseconds' },
  ];
  expect(published({ values: { jobsIn: 10, postLatencyMs: [12, 40] } })).toEqual([
    {
      _aws: {
        Timestamp: 1_795_255_200_000,
        CloudWatchMetrics: [{ Namespace: 'Payouts/test', Dimensions: [[]], Metrics }],
      },
      jobsIn: 10,
      postLatencyMs: [12, 40],
    },
  ]);
});

it('what is zero is not written: a metric costs by the hour in which it is', () => {
  const perCurrency: MetricValues['perCurrency'] = new Map([
    ['EUR', { moneyHeld: 5, moneyInDoubt: 0 }],
    ['JPY', { moneyHeld: 0 }],
  ]);
  const [line, ...rest] = published({ values: { held: 1, inDoubt: 0, timeToExpirySeconds: [0] }, perCurrency });
  expect(line).toMatchObject({ held: 1, timeToExpirySeconds: [0] });
  expect(line).not.toHaveProperty('inDoubt');
  expect(rest).toHaveLength(1);
  expect(rest[0]).toMatchObject({ currency: 'EUR', moneyHeld: 5 });
  expect(rest[0]).not.toHaveProperty('moneyInDoubt');
});

it('money is a line per currency, because a line can bear one value of a dimension', () => {
  const perCurrency: MetricValues['perCurrency'] = new Map([
    ['EUR', { moneyAccepted: 31.26 }],
    ['JPY', { moneyAccepted: 1000, moneyFailed: 5 }],
  ]);
  const [euro, yen] = published({ perCurrency });
  expect(euro).toMatchObject({ currency: 'EUR', moneyAccepted: 31.26 });
  expect(yen).toMatchObject({ currency: 'JPY', moneyAccepted: 1000, moneyFailed: 5 });
  expect(yen).toHaveProperty('_aws.CloudWatchMetrics', [
    {
      Namespace: 'Payouts/test',
      Dimensions: [['currency']],
      Metrics: [
        { Name: 'moneyAccepted', Unit: 'None' },
        { Name: 'moneyFailed', Unit: 'None' },
      ],
    },
  ]);
});

it('more than a hundred values go on in further lines, and no count is told twice', () => {
  const postLatencyMs = Array.from({ length: 205 }, (_, ms) => ms);
  const lines = published({ values: { jobsIn: 205, postLatencyMs, timeToExpirySeconds: [60] } });
  for (const line of lines) delete line['_aws'];
  expect(lines).toEqual([
    { jobsIn: 205, postLatencyMs: postLatencyMs.slice(0, 100), timeToExpirySeconds: [60] },
    { postLatencyMs: postLatencyMs.slice(100, 200) },
    { postLatencyMs: postLatencyMs.slice(200) },
  ]);
});

it('a pipe that is closed does not come between an answer and the ledger', () => {
  const write = () => {
    throw new Error('EPIPE');
  };
  const metrics = createEmfMetrics({ write, nowMs: () => 0, namespace: 'Payouts' });
  expect(() => metrics.publish({ values: { jobsIn: 1 }, perCurrency: noMoney })).not.toThrow();
});
