// Settings that reach the ports of a function, and no call of AWS shows: where metrics go, when doubt alarms, which functions a sweep watches.
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { callbackPorts } from '../../functions/callback.ts';
import { inquirePorts } from '../../functions/inquire.ts';
import { submitPorts } from '../../functions/submit.ts';
import { sweepPorts } from '../../functions/sweep.ts';
import type { WorkerConfig } from '../../lib/aws/env-config.ts';
import { type ScriptedAws, startScriptedAws } from '../support/scripted-aws.ts';

let aws: ScriptedAws;
beforeEach(async () => {
  aws = await startScriptedAws();
});
afterEach(() => aws.close());

it.each([
  ['callback', callbackPorts],
  ['inquire', inquirePorts],
  ['sweep', sweepPorts],
] as const)('the metrics of %s go to the namespace of the stage', (_, portsOf) => {
  const lines: string[] = [];
  const { metrics } = portsOf({ ...aws.config, metricsNamespace: 'payouts/trial' }, (line) => lines.push(line));
  metrics.publish({ values: { becameAccepted: 1 }, perCurrency: new Map() });
  expect(lines.join('\n')).toContain('"Namespace":"payouts/trial"');
});

it('sweep raises the alarm of doubt where the setting says', () => {
  const doubtAlarm = new Map([['EUR', '5000']]);
  expect(sweepPorts({ ...aws.config, doubtAlarm }, () => {}).doubtAlarm).toEqual(doubtAlarm);
});

it('sweep watches the functions beside it where it knows its own name', async () => {
  // Nobody answers there: of each function that is watched it says so.
  vi.stubEnv('AWS_ENDPOINT_URL_LAMBDA', 'http://127.0.0.1:1');
  const unreadBy = async (name?: string) => {
    const lines: string[] = [];
    const { rounds } = sweepPorts(aws.config, (line) => lines.push(line), name);
    await rounds.find((it) => it.name === 'live-functions')?.run(Infinity);
    return lines.filter((line) => line.includes('"live-unread"')).length;
  };
  expect([await unreadBy('payouts-trial-sweep'), await unreadBy()]).toEqual([4, 0]);
});

it('sweep sends the canary order of the setting to the jobs queue at a whole hour, and none without it', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-22T10:00:20.000Z') });
  onTestFinished(() => void vi.useRealTimers());
  const sentWith = async (canary: WorkerConfig['canary']) => {
    const { rounds } = sweepPorts({ ...aws.config, canary }, () => {});
    const values = await rounds.find((it) => it.name === 'live-functions')?.run(Infinity);
    return { values, asked: aws.asked.splice(0) };
  };
  const canary = { endpointId: '39915', cardReference: '1234567890' };
  expect(await sentWith(canary)).toEqual({ values: { canariesSent: 1 }, asked: ['SendMessage jobs'] });
  expect(await sentWith(undefined)).toEqual({ values: {}, asked: [] });
});

it.each([
  ['submit', submitPorts],
  ['inquire', inquirePorts],
] as const)('%s tells canaries apart by the version that runs', (_, portsOf) => {
  vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', 'payouts-trial-submit');
  vi.stubEnv('AWS_LAMBDA_FUNCTION_VERSION', '7');
  const lines: string[] = [];
  const { metrics } = portsOf(aws.config, (line) => lines.push(line));
  metrics.publish({ values: { canariesFailed: 1 }, perCurrency: new Map() });
  expect(lines.at(-1)).toContain('"version":"payouts-trial-submit:7"');
});
