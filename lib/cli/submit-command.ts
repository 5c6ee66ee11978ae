// `payouts submit`: looks at every row of a file, says what it comes to, asks, and sends.
// Exit codes: 0 done, 1 not (all) sent, 2 the file or the command line must be mended.
import { createInterface } from 'node:readline/promises';
import type { JobMessageToSend } from '../app/upload-slices.ts';
import { sealWith } from './submit-card-keys.ts';
import { sendFile, type SendingOptions } from './submit-sending.ts';
import { type ReadingOptions, withSurveyedFile } from './submit-survey.ts';
import { surveyAsJson } from './submit-text.ts';
import { UsageError } from './usage-error.ts';

/** The command line of `payouts submit`. */
export interface SubmitOptions extends ReadingOptions, SendingOptions {
  readonly yes: boolean;
}

/** Runs the command; returns the exit code. */
export async function runSubmit(path: string, options: SubmitOptions): Promise<number> {
  const mayAsk = path !== '-' && process.stdin.isTTY && process.stderr.isTTY;
  if (!options.yes && !options.dryRun && !mayAsk)
    throw new UsageError('nobody can be asked here; say --yes to send, or --dry-run to look');
  const seal = options.cardKeys === undefined ? undefined : await sealWith(options.cardKeys);
  return withSurveyedFile(path, options, async (file, ports) => {
    if (options.dryRun || !ports) {
      process.stdout.write(options.json ? surveyAsJson('dry-run', file) : 'nothing was sent (--dry-run)\n');
      return 0;
    }
    if (!options.yes && !(await confirmed())) {
      process.stdout.write('nothing was sent\n');
      return 1;
    }
    const finishing = seal ? { finish: (message: JobMessageToSend) => seal(message, ports.cardKeys) } : {};
    return sendFile(file, finishing, ports, options);
  });
}

async function confirmed(): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await lines.question('Send? type yes: ')).trim().toLowerCase() === 'yes';
  } finally {
    lines.close();
  }
}
