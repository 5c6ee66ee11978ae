// Settings that reach the ports of a function, and no call of AWS shows: where metrics go and when doubt alarms.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { callbackPorts } from '../../functions/callback.ts';
import { inquirePorts } from '../../functions/inquire.ts';
import { sweepPorts } from '../../functions/sweep.ts';
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
