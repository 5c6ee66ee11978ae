// Rules about who is told when something stands still.
import { deadLetterPairs } from './queue-rules.ts';
import { type Rule, unless } from './rule.ts';
import { listOf, numberOf, ofType, recordOf, type Resource, type Stack, targetOf } from './stack.ts';

/** The queue whose visible messages an alarm counts. */
function watchedQueue(stack: Stack, { properties }: Resource): Resource | undefined {
  if (properties['MetricName'] !== 'ApproximateNumberOfMessagesVisible') return undefined;
  const dimension = listOf(properties['Dimensions'])
    .map(recordOf)
    .find((it) => it['Name'] === 'QueueName');
  return targetOf(stack, dimension?.['Value']);
}

/** True where a single message is enough. */
function ringsAtOne({ properties }: Resource): boolean {
  const threshold = numberOf(properties['Threshold']) ?? Infinity;
  return properties['ComparisonOperator'] === 'GreaterThanOrEqualToThreshold' ? threshold <= 1 : threshold < 1;
}

/** The rules; each is a row. */
export const alarmRules: readonly Rule[] = [
  {
    name: 'dead-letters-alarm',
    danger: 'payouts that do not happen, or answers that nobody has heard, lie there and no person is told',
    check: (worker) => {
      const alarms = ofType(worker.stack, 'AWS::CloudWatch::Alarm').filter(ringsAtOne);
      const watched = new Set(alarms.map((alarm) => watchedQueue(worker.stack, alarm)));
      const targets = new Set(deadLetterPairs(worker).map(({ target }) => target));
      return [...targets].flatMap((target) =>
        unless(watched.has(target), target.logicalId, 'has no alarm that one visible message sets off'),
      );
    },
  },
  {
    name: 'alarm-reaches-somebody',
    danger: 'it turns red on a page that nobody looks at by night',
    check: ({ stack }) =>
      ofType(stack, 'AWS::CloudWatch::Alarm').flatMap(({ logicalId, properties }) => {
        const silent = properties['ActionsEnabled'] === false || listOf(properties['AlarmActions']).length === 0;
        return unless(!silent, `${logicalId}.AlarmActions`, 'names nobody, or is switched off');
      }),
  },
];
