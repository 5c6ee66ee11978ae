// The files that `payouts local` is given, looked at before anything starts: what can never be a message, or is a file of
// another kind, is refused with the place and the remedy. The worker alone judges whether a line is a good job.
import { tool } from '../../payout/operate/spelling.ts';
import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { sniffedBytes, recognizeFormat } from '../../files/bulk-format.ts';
import type { MerchantSecrets } from '../../local/sample-merchants.ts';
import { illegalCharacter } from '../../local/sqs-as-aws.ts';
import { unreadable } from '../../files/file-failure.ts';
import { isRecord } from '../../payout/message/inbound.ts';
import { jobBodyLimitBytes } from '../../payout/message/job-fields.ts';
import { UsageError } from '../../files/usage-error.ts';

const oneAJobs = 'a file of jobs is UTF-8 text, one JSON object per line';
/** The longest message that SQS takes. */
const messageLimitBytes = 1_048_576;

/** The lines of a file of jobs, blank ones left out. Throws UsageError if it is none. */
export async function jobLinesOf(file: string): Promise<string[]> {
  const bytes = await bytesOf(file);
  const format = recognizeFormat(bytes.subarray(0, sniffedBytes), file);
  if (format.kind === 'refused') throw new UsageError(refusalOf(file, format.why));
  if (format.kind !== 'jsonl')
    throw new UsageError(
      `${file} is no file of jobs: ${oneAJobs}. If it is a table or a bank's file, look at it with: \`${tool} submit ${file} --dry-run\``,
    );
  if (format.encoding !== 'utf-8') throw new UsageError(`${file} is UTF-16; ${oneAJobs}`);
  const text = textOf(file, bytes);
  const lines = text.split(/\r?\n/);
  if (lines.filter((line) => line.trim() !== '').length > 1 && isJson(text))
    throw new UsageError(`${file} is one JSON object over several lines; write it in one: jq -c . ${file}`);
  for (const [index, line] of lines.entries()) checkLine(file, index + 1, line);
  const jobs = lines.filter((line) => line.trim() !== '');
  if (!jobs.some(isJson)) throw new UsageError(`${file}: no line of it is JSON; ${oneAJobs}`);
  return jobs;
}

function refusalOf(file: string, why: string): string {
  if (why === 'is empty') return `${file} holds no jobs; write one JSON object per line`;
  if (why.includes('gunzip')) return `${file} is compressed; unpack it: \`gunzip ${file}\``;
  return why.includes('JSON')
    ? `${file} ${why.replaceAll('FILE', file)}`
    : `${file} ${why.split(';', 1)[0]}; ${oneAJobs}`;
}

function checkLine(file: string, number: number, line: string): void {
  const found = illegalCharacter.exec(line);
  if (found) {
    const hex = found[0].charCodeAt(0).toString(16).padStart(4, '0');
    throw new UsageError(
      `${file}: line ${number}, column ${found.index + 1} holds U+${hex.toUpperCase()}, which no queue takes; take it out, or write it as \\u${hex}`,
    );
  }
  const bytes = Buffer.byteLength(line);
  if (bytes > messageLimitBytes)
    throw new UsageError(
      `${file}: line ${number} is ${(bytes / 1e6).toFixed(1)} MB long; a message may have ${messageLimitBytes} bytes, and a job has ${jobBodyLimitBytes} at most`,
    );
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function textOf(file: string, bytes: Buffer): string {
  if (isUtf8(bytes)) return new TextDecoder().decode(bytes);
  const lines = bytes.toString('latin1').split('\n');
  const wrong = lines.findIndex((line) => !isUtf8(Buffer.from(line, 'latin1')));
  throw new UsageError(`${file}: line ${wrong + 1} is not UTF-8 text; save the file as UTF-8`);
}

/** Merchants and their secrets. Throws UsageError if the file holds none. */
export async function secretsOf(file: string): Promise<Record<string, MerchantSecrets>> {
  const shape =
    'write {"<merchant>": {"contract": {"login": …, "profile": …}, "keys": {"<login>": {"controlKey": …, "privateKey": …}}}, …}';
  const text = textOf(file, await bytesOf(file));
  if (!isJson(text)) throw new UsageError(`${file} is not JSON; ${shape}`);
  const value: unknown = JSON.parse(text);
  const isBoth = (it: unknown) => isRecord(it) && isRecord(it['contract']) && isRecord(it['keys']);
  if (!isRecord(value) || !Object.values(value).every(isBoth)) throw new UsageError(`${file}: ${shape}`);
  return value as unknown as Record<string, MerchantSecrets>;
}

const bytesOf = (file: string): Promise<Buffer> =>
  readFile(file).catch((error: unknown) => {
    throw unreadable(file, error);
  });
