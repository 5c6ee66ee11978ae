// Alarms that are heard: a stage says who is told before it is packaged, and a test alarm finds out whether it is true.
import { describe, expect, it } from 'vitest';
import { choicesOf, unheard } from '../../infra/arguments.ts';
import { testAlarm } from '../../infra/test-alarm.ts';

const parameters = {
  default: { operatorEmail: '' },
  dev: { operatorEmail: 'none' },
  live: { operatorEmail: 'elsewhere' },
};
const email = (it: string) => ['--param', `operatorEmail=${it}`];

describe('who is told', () => {
  it.each<[story: string, args: readonly string[], says: string]>([
    [
      'a production stage that says nothing',
      ['--stage', 'prod'],
      'nobody would hear the alarms of stage prod: give --param',
    ],
    [
      'one that wants nobody',
      ['--stage', 'prod', ...email('none')],
      "a production stage can't do without somebody to tell",
    ],
    [
      'a slip of the pen',
      ['--stage', 'prod', ...email('ops.example.com')],
      'operatorEmail=ops.example.com is no e-mail address',
    ],
    ['an address', ['--stage', 'prod', ...email('ops@example.com')], 'is heard'],
    ['an address, joined', ['--stage=prod', '--param=operatorEmail=ops@example.com'], 'is heard'],
    ['a pager', ['--stage', 'prod', ...email('elsewhere')], 'is heard'],
    ['a stage that has said it for good', ['--stage', 'live'], 'is heard'],
    ['the workshop', [], 'is heard'],
    ['a stage of a new name', ['--stage', 'acme'], 'nobody would hear the alarms of stage acme'],
  ])('%s', (_, args, says) => {
    expect(unheard(choicesOf(args, parameters, () => undefined)) ?? 'is heard').toContain(says);
  });
});

describe('the test alarm', () => {
  /** AWS with these subscriptions of both topics, and what was asked of it. */
  function awsWith(pages: readonly string[], tickets: readonly string[]) {
    const rung: string[] = [];
    const aws = async ([service, , ...args]: readonly string[]): Promise<string> => {
      const topic = args[args.indexOf('--logical-resource-id') + 1] ?? '';
      if (service === 'cloudformation') return `arn:aws:sns:eu-central-1:111122223333:${topic}\n`;
      if (service === 'cloudwatch') rung.push(args[args.indexOf('--alarm-name') + 1] ?? '');
      const arns = (args[args.indexOf('--topic-arn') + 1] ?? '').endsWith('PageTopic') ? pages : tickets;
      const Subscriptions = arns.map((SubscriptionArn) => ({ SubscriptionArn, Protocol: 'email' }));
      return JSON.stringify({ Subscriptions });
    };
    return { aws, rung };
  }
  const somebody = 'arn:aws:sns:eu-central-1:111122223333:PageTopic:1';

  it('rings both topics where somebody has confirmed', async () => {
    const { aws, rung } = awsWith([somebody, 'PendingConfirmation'], [somebody]);
    expect(await testAlarm('prod', aws)).toEqual({
      heard: true,
      says: [
        'rang payouts-prod-function-errors; 1 confirmed (email): ask them now',
        'rang payouts-prod-held; 1 confirmed (email): ask them now',
      ].join('\n'),
    });
    expect(rung).toEqual(['payouts-prod-function-errors', 'payouts-prod-held']);
  });

  it.each([
    ['nobody subscribed to pages', [], [somebody], 'nobody hears PageTopic of stage prod: it has no subscriber'],
    [
      'nobody confirmed tickets',
      [somebody],
      ['PendingConfirmation'],
      'nobody hears TicketTopic of stage prod: 1 never confirmed: follow the link in the mail of AWS',
    ],
  ])('says so where %s, and rings for no one there', async (_, pages, tickets, why) => {
    const { aws, rung } = awsWith(pages, tickets);
    const { heard, says } = await testAlarm('prod', aws);
    expect(heard).toBe(false);
    expect(says).toContain(why);
    expect(rung).toHaveLength(1);
  });
});
