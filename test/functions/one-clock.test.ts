// One clock for all processes: every function, and a person's tool, corrects its clock by the answers of DynamoDB.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { callbackPorts } from '../../functions/callback.ts';
import { inquirePorts } from '../../functions/inquire.ts';
import { submitPorts } from '../../functions/submit.ts';
import { sweepPorts } from '../../functions/sweep.ts';
import { createToolPorts } from '../../lib/cli/tool-ports.ts';
import type { WorkerConfig } from '../../lib/aws/env-config.ts';
import { type ScriptedAws, startScriptedAws } from '../support/scripted-aws.ts';

const hour = 3_600_000;
let aws: ScriptedAws;
beforeEach(async () => void (aws = await startScriptedAws()));
afterEach(() => aws.close());

const quiet = () => {};
const readsOrder = async (it: { readonly orders: { read(key: string): Promise<unknown> } }) => it.orders.read('a/b');

it.each<[who: string, asks: (config: WorkerConfig) => Promise<() => number>]>([
  ['callback', async (config) => timeAfter(callbackPorts(config, quiet), readsOrder)],
  ['inquire', async (config) => timeAfter(inquirePorts(config, quiet), readsOrder)],
  ['submit', async (config) => timeAfter(submitPorts(config, quiet), readsOrder)],
  ['sweep', async (config) => timeAfter(sweepPorts(config, quiet), ({ leader }) => leader.read())],
  ["a person's tool", async (config) => timeAfter(createToolPorts(config), readsOrder)],
  [
    "a person's tool that no table answers",
    async (config) => timeAfter(createToolPorts(config), ({ tables }) => tables.stored()),
  ],
])('%s goes by the clock of the table that answered it', async (_, asks) => {
  aws.aheadMs = hour;
  const nowMs = await asks(aws.config);
  expect(Math.abs(nowMs() - Date.now() - hour)).toBeLessThan(60_000);
});

async function timeAfter<Ports extends { readonly clock: { nowMs(): number } }>(
  ports: Ports,
  ask: (ports: Ports) => Promise<unknown>,
): Promise<() => number> {
  await ask(ports);
  return ports.clock.nowMs;
}
