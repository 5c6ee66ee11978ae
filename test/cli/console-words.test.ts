// What the console's page is told holds words of senders: none of them turns the direction of writing, or hides.
import { afterEach, expect, it } from 'vitest';
import { type ConsoleScene, startConsole } from '../../lib/cli/console/console-server.ts';
import type { Operator } from '../../lib/client/operator.ts';
import type { OwnEndpoint } from '../../lib/local/own-hosts.ts';
import { anOrder } from '../support/orders.ts';

let console: OwnEndpoint | undefined;
afterEach(() => console?.close());

it('a payee’s name is shown as it is read', async () => {
  const order = anOrder({ context: '{"payee_name":"Jane \u202e\u200b\u009bDoe"}' });
  const operator = {
    order: async () => ({ kind: 'found', order }),
    waitingOf: async () => [],
    callbacksWaiting: async () => 0,
  } as unknown as Operator;
  const scene: Partial<ConsoleScene> = { operator, stage: 'test', isReadOnly: true };
  console = await startConsole(scene as ConsoleScene);
  const opened = await fetch(console.url, { redirect: 'manual' });
  const cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? '';
  const asked = new URL(`api/order?order=${encodeURIComponent(order.key)}`, console.url);
  const told = await (await fetch(asked, { headers: { cookie } })).text();
  expect(told).toContain('Jane');
  expect(told).not.toMatch(/[\u202e\u200b\u009b]/);
});
