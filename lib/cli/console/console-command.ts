// `payouts console`: the page for those who run it, over whatever stack the settings name, by the person's own rights. Nothing
// is deployed; it ends with the command. Exit codes: 0 ended by the person, 2 bad input.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DescribeAlarmsCommand } from '@aws-sdk/client-cloudwatch';
import { patientAwsCalls } from '../../payout/limits.ts';
import { newCloudWatchClient } from '../../doctor/watching-clients.ts';
import { untilInterrupted } from '../asking.ts';
import { moneyNotice, stageName } from '../live-money.ts';
import { desk } from '../orders/operator-commands.ts';
import { toolPorts } from '../tool-ports.ts';
import type { CommandEnd } from '../../operate/act.ts';
import { ledgerReports } from './report-download.ts';
import { startConsole } from './console-server.ts';

/** The command line of `payouts console`. */
interface ConsoleOptions {
  readonly readOnly: boolean;
  /** Where the faults and the signing view of a local run are. */
  readonly localPage?: string;
}

const command = fileURLToPath(new URL('../payouts.js', import.meta.url));

/** Runs until it is interrupted; returns the exit code. */
export async function runConsole({ readOnly, localPage }: ConsoleOptions): Promise<number> {
  const stage = stageName() ?? 'local run';
  const { credentials } = toolPorts();
  const console = await startConsole({
    desk: { ...desk(), runCommand: runOwn },
    alarms: () => alarmsInForce(process.env['PAYOUTS_STAGE']),
    stage,
    moneyNotice: (whose) => moneyNotice(whose, credentials),
    isReadOnly: readOnly,
    reports: ledgerReports,
    ...(localPage !== undefined && { localPage }),
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

/** Alarms of the stage that ring; a local run has none. */
async function alarmsInForce(stage: string | undefined): Promise<readonly string[]> {
  if (!stage) return [];
  const client = newCloudWatchClient({ limits: patientAwsCalls });
  try {
    const AlarmNamePrefix = `payouts-${stage}-`;
    const { MetricAlarms = [], CompositeAlarms = [] } = await client.send(
      new DescribeAlarmsCommand({
        AlarmNamePrefix,
        StateValue: 'ALARM',
        AlarmTypes: ['MetricAlarm', 'CompositeAlarm'],
      }),
    );
    return [...MetricAlarms, ...CompositeAlarms].map(({ AlarmName = '' }) => AlarmName);
  } finally {
    client.destroy();
  }
}
