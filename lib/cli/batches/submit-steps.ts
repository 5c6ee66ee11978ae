// The two waves of a file of payouts in two steps: its rows are checked as one batch, and once every check has come to an end
// the same batch is sent again to be paid. The answers of the checks are shown before anybody says yes, and the
// worker pays validated rows alone, whatever is sent.
import { readBatch, type ReadBatchPorts } from '../../batches/batch-report.ts';
import type { RowStatus } from '../../batches/batch-row.ts';
import type { Batch } from '../../batches/batch.ts';
import { addTo, type CurrencyTotal, totalsAsLists } from '../../batches/tally.ts';
import type { JobMessageToSend } from '../../batches/upload-slices.ts';
import type { Profile } from '../../gateway/profile.ts';
import { isValidated } from '../../payout/order/view.ts';
import { needsApproval } from '../../payout/gates.ts';
import { plainTable } from '../plain-table.ts';
import { UsageError } from '../usage-error.ts';
import { surveyAsJson, type SurveyedFile } from './submit-text.ts';
import type { Credentials } from '../../gateway/ports.ts';
import { shellWord } from '../../local/remedies.ts';

/** The options of the two waves; by default the rows are sent as they are, in one step. */
export interface WaveOptions {
  readonly checkFirst?: boolean;
  readonly payChecked?: boolean;
}

interface WavePorts extends ReadBatchPorts {
  readonly credentials: Pick<Credentials, 'of'>;
  readonly batches: ReadBatchPorts['batches'] & { find(batchId: string): Promise<Batch | undefined> };
}

/** As much of the command line as the waves depend on. */
interface Reading extends WaveOptions {
  readonly operation?: string;
  readonly again: boolean;
  readonly hold: boolean;
  readonly cardKeys?: string;
}

/** Both waves read the file as checks, so that it is one batch; the second sends it again. Throws UsageError. */
export function inWaves<Options extends Reading>(options: Options): Options {
  const { checkFirst, payChecked, operation, hold, cardKeys } = options;
  if (!checkFirst && !payChecked) return options;
  if (checkFirst && payChecked) throw new UsageError('--check-first comes before --pay-checked: say one of them');
  const wave = checkFirst ? '--check-first' : '--pay-checked';
  if (operation !== 'payout') throw new UsageError(`${wave} is for payouts: say --operation payout`);
  if (hold || cardKeys !== undefined) throw new UsageError(`${wave} goes with neither --hold nor --card-keys`);
  return { ...options, operation: 'payout-check', again: options.again || payChecked === true };
}

/** The outcome of a row's check. */
type Answer = 'validated' | 'under way' | 'refused' | 'for a person' | 'paid or being paid';

const meanings: Readonly<Record<Answer, string>> = {
  validated: 'the gateway would pay it',
  'under way': 'its check has not ended',
  refused: 'never paid',
  'for a person': 'the check proves nothing: never paid as it is',
  'paid or being paid': 'sent to be paid before: its result is published again',
};

function answerOf(status: RowStatus): Answer {
  const { entry } = status;
  if (entry && entry.operation !== 'payout-check') return 'paid or being paid';
  if (status.kind === 'open' || entry?.state === 'accepted') return 'under way';
  if (entry && isValidated(entry)) return 'validated';
  return status.end === 'held' ? 'for a person' : 'refused';
}

/** Rows and money by what their checks have come to. */
type Answers = ReadonlyMap<Answer, Readonly<Record<string, CurrencyTotal>>>;

/** Reads every row of the batch. */
async function answersOf(batch: Batch, ports: ReadBatchPorts): Promise<Answers> {
  const answers = new Map<Answer, Record<string, CurrencyTotal>>();
  for await (const rows of readBatch(batch, ports))
    for (const { row, status } of rows) {
      const totals = answers.get(answerOf(status)) ?? {};
      answers.set(answerOf(status), totals);
      if (row.money) addTo(totals, { ...row.money, count: 1 });
    }
  return answers;
}

/** The answers as a table. */
function answersText(answers: Answers): string {
  const lines = (Object.keys(meanings) as Answer[]).flatMap((answer) =>
    totalsAsLists(answers.get(answer) ?? {}).map(({ count, amount, currency }) => [
      answer,
      count,
      amount,
      currency,
      meanings[answer],
    ]),
  );
  return plainTable(['check', 'rows', 'total', '', ''], ['left', 'right', 'right', 'left', 'left'], lines);
}

/** Rows of an answer, whatever their currency. */
function rowsOf(answers: Answers, answer: Answer): number {
  return Object.values(answers.get(answer) ?? {}).reduce((sum, { count }) => sum + count, 0);
}

/** Why nothing of the file may be sent to be paid now; undefined where it may. */
function whyNotPayable(batch: Batch, answers: Answers): string | undefined {
  if (batch.state === 'uploading') return 'its checks are not all on the queue: say --check-first again to go on';
  const underWay = rowsOf(answers, 'under way');
  if (underWay > 0)
    return `${underWay} of its checks have not ended: wait for them with \`npx --no payouts batch ${shellWord(batch.batchId)} --watch\``;
  return rowsOf(answers, 'validated') === 0 ? 'no check of it is validated: there is nothing to pay' : undefined;
}

/** The text before the question, and the question; or why nothing is sent. */
type Wave = { readonly text?: string } & ({ readonly question: string } | { readonly why: string });

/** Looks at the contract, and before the second wave at what the checks have come to. */
async function lookAtWave(
  { batchId, survey }: SurveyedFile,
  { payChecked }: WaveOptions,
  { credentials, ...books }: WavePorts,
): Promise<Wave> {
  for (const { merchant } of survey.subtotals) {
    const answer = await credentials.of(merchant);
    const why = answer.kind === 'credentials' ? whyNotOffered(merchant, answer.credentials.profile) : undefined;
    if (why !== undefined) return { why };
  }
  if (!payChecked) return { question: 'Have them checked?' };
  const batch = await books.batches.find(batchId);
  if (!batch) return { why: 'it was not checked yet: say --check-first in the place of --pay-checked' };
  const answers = await answersOf(batch, books);
  const why = whyNotPayable(batch, answers);
  const text = answersText(answers);
  return why === undefined
    ? { text, question: `Pay the ${rowsOf(answers, 'validated')} validated rows?` }
    : { text, why };
}

function whyNotOffered(merchant: string, profile: Profile): string | undefined {
  if (!profile.twoStepPayouts || !profile.statusInquiry)
    return `the profile of ${merchant} has no twoStepPayouts with statusInquiry: its contract knows one step alone`;
  if (!needsApproval({ operation: 'payout-pay' }, profile)) return undefined;
  return `two persons release the payments of ${merchant}, and approve what is sent in one step alone`;
}

/** The second wave: the same rows, to be paid. */
export const paying = { finish: async (message: JobMessageToSend) => ({ ...message, operation: 'payout-pay' }) };

/** Says what the checks have come to, and what is to be asked; ends with an exit code where nothing is sent now. */
export async function waveOf(
  file: SurveyedFile,
  options: WaveOptions & { readonly json: boolean },
  ports: WavePorts,
): Promise<{ readonly question: string } | { readonly exitCode: number } | undefined> {
  if (!options.checkFirst && !options.payChecked) return undefined;
  const { text, ...wave } = await lookAtWave(file, options, ports);
  if (text !== undefined && !options.json) process.stderr.write(`${text}\n\n`);
  if ('question' in wave) return wave;
  const { why } = wave;
  process.stdout.write(options.json ? surveyAsJson('not-payable', file, { why }) : `nothing was sent: ${why}\n`);
  return { exitCode: 1 };
}
