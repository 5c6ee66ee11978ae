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
    { Name: 'gatewayCalls', Unit: 'Count' },
    { Name: 'jobWaitSeconds', Unit: 'Seconds' },
  ];
  expect(published({ values: { gatewayCalls: 10, jobWaitSeconds: 40 } })).toEqual([
    {
      _aws: {
        Timestamp: 1_795_255_200_000,
        CloudWatchMetrics: [{ Namespace: 'Payouts/test', Dimensions: [[]], Metrics }],
      },
      gatewayCalls: 10,
      jobWaitSeconds: 40,
    },
  ]);
});

it('what is zero is not written: a metric costs by the hour in which it is', () => {
  const perCurrency: MetricValues['perCurrency'] = new Map([
    ['EUR', { moneyAccepted: 5, moneyFailed: 0 }],
    ['JPY', { moneyAccepted: 0 }],
  ]);
  const [line, ...rest] = published({ values: { held: 1, overdue: 0 }, perCurrency });
  expect(line).toMatchObject({ held: 1 });
  expect(line).not.toHaveProperty('overdue');
  expect(rest).toHaveLength(1);
  expect(rest[0]).toMatchObject({ currency: 'EUR', moneyAccepted: 5 });
  expect(rest[0]).not.toHaveProperty('moneyFailed');
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

it('a pipe that is closed does not come between an answer and the ledger', () => {
  const write = () => {
    throw new Error('EPIPE');
  };
  const metrics = createEmfMetrics({ write, nowMs: () => 0, namespace: 'Payouts' });
  expect(() => metrics.publish({ values: { held: 1 }, perCurrency: noMoney })).not.toThrow();
});
