// `payouts submit`: looks at every row of a file, says what it comes to, asks, and sends.
// Exit codes: 0 done, 1 not (all) sent, 2 the file or the command line must be mended.
import type { JobMessageToSend } from '../../batches/upload-slices.ts';
import { requireSomebody, saysYes } from '../asking.ts';
import { sealWith } from './submit-card-keys.ts';
import { sendFile, type SendingOptions } from './submit-sending.ts';
import { type ReadingOptions, withSurveyedFile } from './submit-survey.ts';
import { surveyAsJson } from './submit-text.ts';
import { UsageError } from '../usage-error.ts';

/** The command line of `payouts submit`. */
export interface SubmitOptions extends ReadingOptions, SendingOptions {
  readonly yes: boolean;
}

/** Runs the command; returns the exit code. */
export async function runSubmit(path: string, options: SubmitOptions): Promise<number> {
  checkTogether(options);
  const asks = !options.yes && !options.dryRun && !options.hold;
  if (asks && path === '-')
    throw new UsageError('the rows come from standard input, so nobody can be asked; say --yes');
  if (asks) requireSomebody('say --yes to send, or --dry-run to look');
  const seal = options.cardKeys === undefined ? undefined : await sealWith(options.cardKeys);
  return withSurveyedFile(path, options, async (file, ports) => {
    if (options.dryRun || !ports) {
      process.stdout.write(options.json ? surveyAsJson('dry-run', file) : 'nothing was sent (--dry-run)\n');
      return 0;
    }
    if (asks && !(await saysYes('Send?'))) {
      process.stdout.write('nothing was sent\n');
      return 1;
    }
    const finishing = seal ? { finish: (message: JobMessageToSend) => seal(message, ports.cardKeys) } : {};
    return sendFile(file, finishing, ports, options);
  });
}

/** What is held must be a whole file, registered by somebody who can be told from another. */
function checkTogether({ hold, by, again, skipInvalid, dryRun }: SubmitOptions): void {
  if (!hold) return;
  if (by !== undefined) throw new UsageError('--by and --hold: who registers a held batch is asked of AWS');
  if (skipInvalid) throw new UsageError('--skip-invalid and --hold: what is approved must be the whole file');
  if (again || dryRun) throw new UsageError('--hold sends nothing: leave out --again and --dry-run');
}
