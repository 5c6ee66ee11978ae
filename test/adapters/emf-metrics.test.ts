// Figures as CloudWatch reads them out of the log: one line of JSON each, the dimensions named.
import { expect, it } from 'vitest';
import { createEmfMetrics } from '../../lib/adapters/emf-metrics.ts';

function published(figures: Record<string, number>, moneyInDoubt: Record<string, string>): unknown[] {
  const lines: string[] = [];
  const metrics = createEmfMetrics({ write: (line) => void lines.push(line), nowMs: () => 1_795_255_200_000 });
  metrics.publish(figures, moneyInDoubt);
  expect(lines.filter((line) => line.includes('\n'))).toEqual([]);
  return lines.map((line) => JSON.parse(line));
}

it('the figures are one line without dimensions', () => {
  expect(published({ deadLetters: 2, inDoubt: 0 }, {})).toEqual([
    {
      _aws: {
        Timestamp: 1_795_255_200_000,
        CloudWatchMetrics: [
          { Namespace: 'Payouts', Dimensions: [[]], Metrics: [{ Name: 'deadLetters' }, { Name: 'inDoubt' }] },
        ],
      },
      deadLetters: 2,
      inDoubt: 0,
    },
  ]);
});

it('money in doubt is a line and a metric per currency', () => {
  const [, ...money] = published({ inDoubt: 3 }, { EUR: '31.26', JPY: '1000' });
  expect(money).toEqual(
    [
      ['EUR', 31.26],
      ['JPY', 1000],
    ].map(([currency, moneyInDoubt]) => ({
      _aws: {
        Timestamp: 1_795_255_200_000,
        CloudWatchMetrics: [{ Namespace: 'Payouts', Dimensions: [['currency']], Metrics: [{ Name: 'moneyInDoubt' }] }],
      },
      currency,
      moneyInDoubt,
    })),
  );
});
