// `payouts submit`: looks at every row of a file, says what it comes to, asks, and sends.
import { newBlind } from '../../aws/system.ts';
import { treeOfRows } from '../../batches/approved-rows.ts';
import { approveBatch, judgeApproval, type NotApprovable } from '../../batches/open-upload.ts';
import type { JobMessageToSend } from '../../batches/upload-slices.ts';
import type { WarningKind } from '../../files/row-findings.ts';
import { redact } from '../../gateway/redact.ts';
import { endOnSignal, requireSomebody, saysYes } from '../asking.ts';
import { declined, notDone, say } from '../command-line.ts';
import { checkReadable, jsonFile } from '../../files/file-failure.ts';
import { tellMoney } from '../live-money.ts';
import { UsageError } from '../../files/usage-error.ts';
import { type ToolPorts, toolPorts } from '../tool-ports.ts';
import { lookBackDays, readingText } from './file-reading.ts';
import { nobodyText, sendFile, type SendingOptions } from './submit-sending.ts';
import { sendQuestion } from './submit-known.ts';
import { unconfirmed } from './submit-preflight.ts';
import { contentOf, type SurveyOptions, withSurveyedFile } from './submit-survey.ts';
import { momentText } from '../quantities.ts';
import { surveyAsJson, type SurveyedFile, confirmationText } from './submit-text.ts';
import { shellWord, tool } from '../../payout/operate/spelling.ts';
import type { CardKeyStore } from '../../card-data/sealed-params.ts';
import { type CardKeySet, sealJob } from '../../client/jose-seal-job.ts';

/** Seals the card data of a message; leaves one without any as it is. The keys of CVVs are left in `cardKeys`. */
type Seal = (message: JobMessageToSend, cardKeys: CardKeyStore) => Promise<JobMessageToSend>;

/** A job with a card number, that shows whether the keys can be sealed under: no card of anybody's. */
const trial = {
  version: 1,
  operation: 'transfer',
  merchant: 'trial',
  endpointId: '1',
  orderId: 'trial',
  params: { amount: '1', currency: 'EUR', credit_card_number: '4111111111111111' },
};

/** Reads the worker's public card keys. Throws UsageError if they are none. */
async function sealWith(file: string): Promise<Seal> {
  const jwks = await keySetOf(file);
  await sealJob(trial, { jwks }).catch((error: unknown) => {
    throw new UsageError(`--card-keys ${file}: ${error instanceof Error ? error.message : 'unknown'}`);
  });
  return (message, cardKeys) => sealJob(message, { jwks, cardKeys });
}

async function keySetOf(file: string): Promise<CardKeySet> {
  const value = await jsonFile(file);
  if (typeof value === 'object' && value !== null && 'keys' in value && Array.isArray(value.keys))
    return { keys: value.keys };
  throw new UsageError(`--card-keys ${file} is no key set; write what \`${tool} card-keys jwks\` prints`);
}

/** The command line of `payouts submit`. */
interface SubmitOptions extends SurveyOptions, SendingOptions {
  readonly yes: boolean;
  /** Go on as `payouts batch --watch`. */
  readonly watch: boolean;
  /** With `watch`: seconds after which it ends where no row has moved. */
  readonly wait?: number;
}

/** Runs the command; returns the exit code. */
export async function runSubmit(path: string, options: SubmitOptions): Promise<number> {
  checkTogether(options);
  const asks = !options.yes && !options.dryRun && !options.hold;
  if (asks && path === '-')
    throw new UsageError('the rows come from standard input, so there is no terminal to ask at; add --yes');
  await checkReadable(path);
  if (asks) requireSomebody('add --yes to send, or --dry-run to preview');
  const dispose = endOnSignal('nothing was sent');
  const seal = options.cardKeys === undefined ? undefined : await sealWith(options.cardKeys);
  return withSurveyedFile(path, options, async (file, ports) => {
    if (ports && !options.dryRun) await tellMoney(merchantsOf(file), ports.credentials);
    const open = unconfirmed(file.warnings, options);
    if (options.dryRun || !ports) {
      say(options, surveyAsJson('dry-run', file), 'nothing was sent (--dry-run)');
      return open.length > 0 ? confirmationNeeded : 0;
    }
    if (open.length > 0 && !asks) return refuseUnconfirmed(open, file, options);
    const question = file.known ? sendQuestion(file.known) : 'Send?';
    if (
      asks &&
      !(await saysYes(open.length > 0 ? `${question.slice(0, -1)}, with ${open.join(', ')} as warned?` : question))
    )
      return declined('nothing was sent');
    const finishing = seal ? { finish: (it: JobMessageToSend) => seal(it, ports.cardKeys) } : {};
    const sent = await sendFile(file, finishing, ports, options);
    dispose();
    return sent === 0 && options.watch ? watchRows(file.batchId, options) : sent;
  }).finally(dispose);
}

/** Watches the rows as `payouts batch --watch` does, with its exit code. */
async function watchRows(batchId: string, options: SubmitOptions): Promise<number> {
  const { json, wait } = options;
  const { runBatchCommand } = await import('./batch-commands.ts');
  return runBatchCommand(batchId, { json, watch: true, wait });
}

/** The exit code of what a person must confirm. */
const confirmationNeeded = 3;

function refuseUnconfirmed(open: readonly WarningKind[], file: SurveyedFile, options: { json: boolean }): number {
  const text = confirmationText(open, file.warnings ?? { kinds: {} });
  notDone(options, surveyAsJson('warnings', file, { withoutWord: open }), text);
  return confirmationNeeded;
}

/** A held batch must be a whole file, registered by a person who can be distinguished from the second one. */
export function checkTogether({
  hold,
  again,
  skipInvalid,
  dryRun,
  watch,
  wait,
}: Pick<SubmitOptions, 'hold' | 'again' | 'skipInvalid' | 'dryRun' | 'watch' | 'wait'>): void {
  if (watch && (hold || dryRun)) throw new UsageError('--watch: nothing is sent that could be watched');
  if (wait !== undefined && !watch) throw new UsageError('--wait goes with --watch');
  if (!hold) return;
  if (skipInvalid) throw new UsageError('--skip-invalid and --hold: what is approved must be the whole file');
  if (again || dryRun) throw new UsageError('--hold sends nothing: leave out --again and --dry-run');
}

// `payouts approve`: a second person looks at the file that another has registered, and lets it be sent.

/** The command line of `payouts approve`. How the file is read is in the header of its batch. */
export interface ApproveOptions extends Pick<SurveyOptions, 'accept' | 'output' | 'json'> {
  readonly reason?: string;
  readonly yes: boolean;
}

/** Runs the command; returns the exit code. */
export async function runApprove(batch: string, path: string, options: ApproveOptions): Promise<number> {
  if (path === '-') throw new UsageError('name the file: what is approved must be there to be sent');
  if (!options.yes) requireSomebody('add --yes to approve');
  const registered = await toolPorts().batches.find(batch);
  if (!registered) return notDone(options, { outcome: 'absent', batch }, `not approved: ${absentText(batch, path)}`);
  const { reading } = registered;
  const how = {
    ...options,
    batch,
    registered: reading,
    skipInvalid: false,
    dryRun: false,
    approving: true,
    lookBack: lookBackDays,
  };
  return withSurveyedFile(path, how, async (file, ports) => {
    const open = unconfirmed(file.warnings, options);
    return open.length > 0 && options.yes ? refuseUnconfirmed(open, file, options) : approve(file, ports, options);
  });
}

const merchantsOf = ({ survey }: SurveyedFile) => survey.subtotals.map(({ merchant }) => merchant);

async function approve(file: SurveyedFile, ports: ToolPorts | undefined, options: ApproveOptions): Promise<number> {
  if (!ports) return 2;
  await tellMoney(merchantsOf(file), ports.credentials);
  const by = await ports.identity.whoAmI();
  const reason = options.reason?.trim();
  const request = { content: contentOf(file), by, reason: reason ? redact(reason, []) : undefined };
  const judged = await judgeApproval(request, ports);
  if (judged.kind !== 'approvable') return refuse(judged, file, options);
  const { batch, heldUntilMs } = judged;
  if (!options.json) {
    const registered = `registered ${momentText(batch.createdAtMs)} by ${batch.by}`;
    process.stderr.write(
      `  ${registered}\n  the file is read with: ${readingText(batch.reading)}\n  you are ${by}; it may be sent until ${momentText(heldUntilMs)}\n\n`,
    );
  }
  if (!options.yes && !(await saysYes('Approve?'))) return declined('not approved');
  const blind = newBlind();
  const tree = await treeOfRows(file.rows(), { blind });
  const approved = await approveBatch(request, judged, { maker: ports.maker, root: tree.root, blind }, ports);
  if (approved.kind !== 'approved') return refuse(approved, file, options);
  const until = new Date(approved.expiresAtMs).toISOString();
  const text = `batch ${file.batchId} is approved until ${momentText(approved.expiresAtMs)}; now send it: \`${tool} submit ${shellWord(file.path)} --batch ${shellWord(file.batchId)}\``;
  return say(options, surveyAsJson('approved', file, { by, until }), text);
}

const refuse = (why: NotApprovable, file: SurveyedFile, options: ApproveOptions): number =>
  notDone(options, surveyAsJson(why.kind, file), `not approved: ${refusalText(why, file)}`);

const absentText = (batchId: string, path: string) =>
  `there is no batch ${batchId}; register it: \`${tool} submit ${shellWord(path)} --batch ${shellWord(batchId)} --hold\``;

function refusalText(why: NotApprovable, { name, path, batchId }: SurveyedFile): string {
  switch (why.kind) {
    case 'absent':
      return absentText(batchId, path);
    case 'not-waiting': {
      const { approval, state } = why.batch;
      return approval
        ? `batch ${batchId} was approved already, ${momentText(approval.atMs)} by ${approval.by}`
        : `batch ${batchId} waits for no approval; it is ${state}`;
    }
    case 'other-content':
      return why.sameFile
        ? `${name} is the registered file, and is read as other jobs by this version; register it again under another --batch`
        : `${name} is not the file that was registered as batch ${batchId}`;
    case 'same-person':
      return `${why.batch.by} has registered batch ${batchId}; somebody else must approve it, whatever the role. This was noted`;
    case 'unnamed':
      return nobodyText(why.by);
    case 'too-late':
      return `batch ${batchId} was held until ${momentText(why.batch.heldUntilMs ?? 0)}; register the file again under another --batch`;
  }
}
