// `payouts gateway-report`: asks the gateway for its own report of transactions, where the merchant's contract has it
// (`/paynet-ui/services/transaction-report`, GET, HMAC-SHA1, 31 days at most). Its form is documented
// nowhere, so the file holds what came. Exit codes: 0 written, 1 the gateway gave none, 2 bad input.
import { parse } from 'csv-parse/sync';
import { holdsCardData, withoutCardData } from '../../gateway/redact.ts';
import { makingSecret } from '../../local/remedies.ts';
import { couldBear } from '../../payout/message/job.ts';
import { csvOptions, csvText } from '../csv.ts';
import { askGatewayFor } from '../gateway-question.ts';
import { notDone, say } from '../command-line.ts';
import { openRowOutput } from '../row-output.ts';
import { shownSafely } from '../terminal.ts';
import { toolPorts } from '../tool-ports.ts';
import { UsageError } from '../usage-error.ts';

/** Options of `payouts gateway-report`. */
interface GatewayReportOptions {
  readonly from: string;
  readonly to: string;
  readonly output: string;
  readonly json: boolean;
}

const mostDays = 31;

/** A line of a report has some 200 bytes: a quarter of a million orders. More is asked for by fewer days. */
const reportLimitBytes = 64 * 1_048_576;
/** A report is made when it is asked for. */
const reportTimeoutMs = 120_000;

/** Runs the command; returns the exit code. */
export async function runGatewayReport(merchant: string, options: GatewayReportOptions): Promise<number> {
  if (!couldBear({ merchant })) throw new UsageError(`no merchant could bear the name "${merchant}"`);
  const params = periodOf(options);
  const { secretPrefix, limits, credentials } = toolPorts();
  const answer = await credentials.of(merchant);
  if (answer.kind === 'unavailable') {
    const { code, message } = answer.failure;
    const made = code === 'MERCHANT_UNKNOWN' ? ` (made by \`${makingSecret(secretPrefix + merchant)}\`)` : '';
    return refuse(`${merchant}: ${message}${made}`, options);
  }
  const query = params.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  const path = `/paynet-ui/services/transaction-report?${query}`;
  const got = await askGatewayFor({ method: 'GET', path }, answer.credentials, {
    ...limits,
    gatewayReplyLimitBytes: reportLimitBytes,
    gatewayBodyTimeoutMs: reportTimeoutMs,
    gatewayTotalTimeoutMs: reportTimeoutMs,
  });
  if (got.kind === 'none')
    return refuse(`the gateway ${got.why.replace(/^it /, '')}; the contract may not have it`, options);
  const report = asCsv(got.text);
  const out = await openRowOutput(options.output);
  await out.write(report.text);
  await out.close();
  const form = report.rows === undefined ? 'as the gateway sent it' : `${report.rows} lines as CSV`;
  return say(options, { outcome: 'written', output: options.output, rows: report.rows }, `${options.output}: ${form}`);
}

function refuse(why: string, options: GatewayReportOptions): number {
  const instead = "export the report on your gateway's own pages, and give that file to `payouts reconcile`";
  return notDone(options, { outcome: 'none', why }, `no report: ${why}; ${instead}`);
}

function periodOf({ from, to }: GatewayReportOptions): [name: string, value: string][] {
  const [fromMs, toMs] = [Date.parse(from), Date.parse(to)];
  if (Number.isNaN(fromMs) || Number.isNaN(toMs))
    throw new UsageError('--from and --to: write days such as 2026-11-20');
  if (toMs <= fromMs) throw new UsageError('--to must be after --from');
  if (toMs - fromMs > mostDays * 86_400_000) throw new UsageError(`the gateway reports ${mostDays} days at most`);
  const text = (ms: number) => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
  return [
    ['createdFromDate', text(fromMs)],
    ['createdToDate', text(toMs)],
  ];
}

/**
 * A JSON list of flat objects, or CSV, is made a table that a spreadsheet runs nothing of; anything else stays as it is, without
 * control characters. Card data is cut out of what is no id.
 */
export function asCsv(text: string): { readonly text: string; readonly rows?: number } {
  const table = jsonTable(text) ?? csvTable(text);
  if (!table) return { text: shownSafely(text) };
  const [titles = [], ...rows] = table;
  const isId = titles.map((title) => /id$|order|invoice/i.test(title));
  const cells = rows.map((row) => row.map((cell, at) => cleanCell(cell, isId[at] === true)));
  return { text: csvText([titles.map((it) => cleanCell(it, false)), ...cells]), rows: rows.length };
}

function cleanCell(cell: string, isId: boolean): string {
  const shown = shownSafely(cell).replaceAll(/\s+/g, ' ').trim();
  return isId || !holdsCardData(shown) ? shown : withoutCardData(shown);
}

function jsonTable(text: string): string[][] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text, asWritten);
  } catch {
    return undefined;
  }
  const rows = listIn(value);
  if (!rows) return undefined;
  const titles = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return [titles, ...rows.map((row) => titles.map((title) => textOf(row[title])))];
}

const textOf = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);

/** By the separator that its first line has most of; undefined where that makes no table. */
function csvTable(text: string): string[][] | undefined {
  const first = text.slice(0, 4096).split(/[\r\n]/, 1)[0] ?? '';
  const [delimiter = ','] = [',', ';', '\t', '|'].toSorted((a, b) => first.split(b).length - first.split(a).length);
  if (/^\s*[<{[]/.test(text) || !first.includes(delimiter)) return undefined;
  try {
    const records = parse(text, { ...csvOptions(delimiter), bom: true, relax_quotes: true }) as unknown as string[][];
    return records.filter((cells) => cells.length > 1 || cells[0] !== '');
  } catch {
    return undefined;
  }
}

/** A number with the digits of the report (ECMAScript: JSON.parse with source): an id of twenty would be rounded to another one's. */
const asWritten = (_: string, value: unknown, context?: { readonly source?: string }): unknown =>
  typeof value === 'number' ? context?.source : value;

function listIn(value: unknown): Readonly<Record<string, unknown>>[] | undefined {
  const lists = Array.isArray(value) ? [value] : Object.values(value ?? {}).filter(Array.isArray);
  const [list] = lists;
  const isRow = (it: unknown): it is Readonly<Record<string, unknown>> => typeof it === 'object' && it !== null;
  return lists.length === 1 && list?.every(isRow) ? list : undefined;
}
