// `payouts console`: the page for those who run it, over whatever stack the settings name, by the person's own rights. Nothing
// is deployed; it ends with the command. Exit codes: 0 ended by the person, 2 bad input.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DescribeAlarmsCommand } from '@aws-sdk/client-cloudwatch';
import type { Alarm } from '../console/scene.ts';
import { startConsole } from '../console/server.ts';
import { newCloudWatchClient } from '../doctor/watching-clients.ts';
import type { CommandEnd } from '../operate/act.ts';
import { patientAwsCalls } from '../payout/limits.ts';
import { untilInterrupted } from './asking.ts';
import { ledgerReports } from './batches/report-command.ts';
import { moneyNotice, stageName } from './live-money.ts';
import { desk } from './orders/operator-commands.ts';
import { shownText } from './perform-act.ts';
import { shownSafely } from './terminal.ts';
import { toolPorts } from './tool-ports.ts';
import { UsageError } from '../files/usage-error.ts';

/** The command line of `payouts console`. */
interface ConsoleOptions {
  readonly readOnly: boolean;
}

const command = fileURLToPath(new URL('payouts.js', import.meta.url));

/** Runs until it is interrupted; returns the exit code. */
export async function runConsole({ readOnly }: ConsoleOptions): Promise<number> {
  const stage = stageName() ?? 'local run';
  const { credentials } = toolPorts();
  const { PAYOUTS_STAGE: named, PAYOUTS_SIMULATOR_URL: simulatorUrl } = process.env;
  const console = await startConsole({
    desk: { ...desk(), runCommand: runOwn },
    alarms: () => alarmsInForce(named),
    stage,
    moneyNotice: (whose) => moneyNotice(whose, credentials),
    isReadOnly: readOnly,
    reports: ledgerReports,
    words: { shown: shownText, safely: shownSafely },
    simulator: simulatorUrl === undefined ? undefined : (body) => askSimulator(simulatorUrl, body),
  });
  process.stdout.write(
    `  console of ${stage}${readOnly ? ', read only' : ''}; the address serves once, Ctrl-C ends it\n\n  ${console.url}\n\n`,
  );
  await untilInterrupted();
  await console.close();
  return 0;
}

const ownProcess = promisify(execFile);
const printedMostBytes = 1 << 28;

/** Files are read and written by the command itself. */
async function runOwn(words: readonly string[]): Promise<CommandEnd> {
  try {
    const ended = await ownProcess(process.execPath, [command, ...words], { maxBuffer: printedMostBytes });
    return { code: 0, ...ended };
  } catch (error) {
    const { code, stdout, stderr } = error as { code?: unknown; stdout?: unknown; stderr?: unknown };
    if (typeof code !== 'number' || typeof stdout !== 'string' || typeof stderr !== 'string') throw error;
    return { code, stdout, stderr };
  }
}

/** The desk of the simulated gateway, which a local run names. Its port is closed while it plays an outage. */
async function askSimulator(url: string, body?: object): Promise<unknown> {
  const post = body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const answer = await fetch(`${url}/simulator`, post).catch(() => {
    throw new UsageError('the simulated gateway does not answer: it plays an outage, or the local run has ended');
  });
  if (answer.ok) return answer.json();
  throw new UsageError('the simulated gateway knows no such faults');
}

/** Alarms of the stage that ring; a local run has none. */
async function alarmsInForce(stage: string | undefined): Promise<readonly Alarm[]> {
  if (!stage) return [];
  const client = newCloudWatchClient({ limits: patientAwsCalls });
  const AlarmNamePrefix = `payouts-${stage}-`;
  try {
    const { MetricAlarms = [], CompositeAlarms = [] } = await client.send(
      new DescribeAlarmsCommand({
        AlarmNamePrefix,
        StateValue: 'ALARM',
        AlarmTypes: ['MetricAlarm', 'CompositeAlarm'],
      }),
    );
    return [...MetricAlarms, ...CompositeAlarms].map(({ AlarmName = '', AlarmDescription, ...it }) => {
      const [says] = AlarmDescription?.split(/(?<=\.)\s/) ?? [];
      const sinceMs = (it.StateTransitionedTimestamp ?? it.StateUpdatedTimestamp)?.getTime();
      return { name: AlarmName.replace(AlarmNamePrefix, ''), says, sinceMs };
    });
  } finally {
    client.destroy();
  }
}
