// The dashboard: JSON that CloudWatch takes, every number with a source, every figure to be seen somewhere.
import { expect, it } from 'vitest';
import { figures, moneyMetrics } from '../../lib/payout/metrics.ts';
import { metricsOfAlarms, metricsOfDashboard, ownNamespace, widgets } from './figures-used.ts';
import { ofType, resourcesOf } from './fragments.ts';

const named = metricsOfDashboard();

it('every own metric that a widget names is one that the worker publishes, with its dimension', () => {
  const own = named.filter(({ namespace }) => namespace === ownNamespace);
  expect(own.length).toBeGreaterThan(30);
  const wrong = own.filter(({ name, dimensions }) =>
    dimensions.length === 0 ? !(name in figures) : !(name in moneyMetrics) || dimensions.join() !== 'currency',
  );
  expect(wrong).toEqual([]);
});

it('every figure that the worker publishes is to be seen, here or by an alarm', () => {
  const seen = new Set([...named, ...metricsOfAlarms()].map(({ name }) => name));
  expect(Object.keys({ ...figures, ...moneyMetrics }).filter((name) => !seen.has(name))).toEqual([]);
});

it('every queue, its age and every function are on it', () => {
  const text = JSON.stringify(widgets());
  for (const [queue] of ofType('queues.yml', 'AWS::SQS::Queue')) {
    expect(named.filter(({ name }) => name === 'ApproximateAgeOfOldestMessage').length).toBe(10);
    expect(text).toContain(`\${${queue}.QueueName}`);
  }
  for (const name of ['Submit', 'Inquire', 'Sweep', 'Callback']) expect(text).toContain(`\${${name}LambdaFunction}`);
});

it('every alarm is at its top', () => {
  const [first] = widgets();
  const alarms = ofType('alarms.yml', 'AWS::CloudWatch::Alarm').map(([logicalId]) => `\${${logicalId}.Arn}`);
  expect(first?.properties.alarms?.toSorted()).toEqual(alarms.toSorted());
});

it('names only resources that there are', () => {
  const files = ['alarms.yml', 'queues.yml', 'ledger.yml'];
  const ids = new Set(files.flatMap((file) => Object.keys(resourcesOf(file))));
  const text = JSON.stringify(widgets());
  const referred = [...text.matchAll(/\$\{([A-Z]\w+)(?:\.\w+)?\}/g)].map(([, id = '']) => id);
  expect(
    [...new Set(referred)].filter((id) => !ids.has(id) && !id.endsWith('LambdaFunction') && id !== 'Ledger'),
  ).toEqual([]);
});

it('no two widgets lie on one another, and none beyond the edge', () => {
  const places = new Map<string, string>();
  for (const { x, y, width, height, properties } of widgets()) {
    expect(x + width).toBeLessThanOrEqual(24);
    for (let across = x; across < x + width; across += 1)
      for (let down = y; down < y + height; down += 1) {
        const place = `${across}/${down}`;
        expect(places.get(place)).toBeUndefined();
        places.set(place, properties.title);
      }
  }
});
