// `payouts gateway-report`: asks the gateway for its own report of transactions, where the merchant's contract has it
// (gateway-facts: /paynet-ui/services/transaction-report, GET, HMAC-SHA1, 31 days at most). Its form is documented
// nowhere, so the file holds what came. Exit codes: 0 written, 1 the gateway gave none, 2 bad input.
import { newSecretsManagerClient } from '../../aws/secrets-manager-client.ts';
import { createSecretsManagerCredentials } from '../../aws/secrets-manager-credentials.ts';
import { systemClock, systemRandom } from '../../aws/system.ts';
import { redact } from '../../gateway/redact.ts';
import { makingSecret } from '../../local/remedies.ts';
import { signRequest } from '../../oauth1/sign-request.ts';
import { couldBear } from '../../payout/job.ts';
import { csvText } from '../csv.ts';
import { configured, say } from '../orders/operator-commands.ts';
import { openRowOutput } from '../row-output.ts';
import { UsageError } from '../usage-error.ts';
import { silentLog } from '../../aws/cloudwatch-lines.ts';

/** Options of `payouts gateway-report`. */
export interface GatewayReportOptions {
  readonly from: string;
  readonly to: string;
  readonly output: string;
  readonly json: boolean;
}

const mostDays = 31;

/** Runs the command; returns the exit code. */
export async function runGatewayReport(merchant: string, options: GatewayReportOptions): Promise<number> {
  if (!couldBear({ merchant })) throw new UsageError(`no merchant could bear the name "${merchant}"`);
  const params = periodOf(options);
  const { secretPrefix: prefix, limits } = configured((it) => it);
  const secrets = createSecretsManagerCredentials({
    client: newSecretsManagerClient({ limits }),
    prefix,
    ttlMs: limits.credentialsTtlMs,
    clock: systemClock,
    log: silentLog,
  });
  const answer = await secrets.of(merchant);
  if (answer.kind === 'unavailable') {
    const { code, message } = answer.failure;
    const made = code === 'MERCHANT_UNKNOWN' ? ` (made by \`${makingSecret(prefix + merchant)}\`)` : '';
    return refuse(`${merchant}: ${message}${made}`, options);
  }
  const key = answer.credentials.keys['HMAC-SHA1'];
  if (!key)
    return refuse(`the secret of ${merchant} has no controlKey, and the report is signed by HMAC-SHA1`, options);
  const query = params.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  const { url, authorization } = await signRequest({
    method: 'GET',
    url: `${answer.credentials.baseUrl}/paynet-ui/services/transaction-report?${query}`,
    params: [],
    consumerKey: answer.credentials.login,
    signatureMethod: 'HMAC-SHA1',
    key,
    nonce: systemRandom.id(),
    timestamp: String(Math.floor(systemClock.nowMs() / 1000)),
  });
  const got = await fetched(url, authorization, limits.gatewayTotalTimeoutMs);
  if (typeof got === 'string') return refuse(got, options);
  const report = asCsv(got.text);
  const out = await openRowOutput(options.output);
  await out.write(report.text);
  await out.close();
  const form = report.rows === undefined ? 'as the gateway sent it' : `${report.rows} lines as CSV`;
  say(options, { outcome: 'written', output: options.output, rows: report.rows }, `${options.output}: ${form}`);
  return 0;
}

function refuse(why: string, options: GatewayReportOptions): number {
  const instead = "export the report on your gateway's own pages, and give that file to `payouts reconcile`";
  say(options, { outcome: 'none', why }, `no report: ${why}; ${instead}`);
  return 1;
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

/** The whole answer, or why there is none. */
async function fetched(url: string, authorization: string, timeoutMs: number): Promise<{ text: string } | string> {
  try {
    const response = await fetch(url, {
      headers: { authorization },
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await response.text();
    if (response.status === 200) return { text };
    return `the gateway answered ${response.status}${text.trim() === '' ? '' : ` (${redact(text, [])})`}; the contract may not have it`;
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return `the gateway did not answer (${cause instanceof Error && 'code' in cause ? String(cause.code) : 'no connection'})`;
  }
}

/** A JSON list of flat objects is made a table; anything else is left as it is. */
export function asCsv(text: string): { readonly text: string; readonly rows?: number } {
  let value: unknown;
  try {
    value = JSON.parse(text, asWritten);
  } catch {
    return { text };
  }
  const rows = listIn(value);
  if (!rows) return { text };
  const titles = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cells = rows.map((row) => titles.map((title) => (row[title] === undefined ? '' : String(row[title]))));
  return { text: csvText([titles, ...cells]), rows: rows.length };
}

/** A number as its digits stand there: an id of twenty would be rounded to another one's (ECMAScript: JSON.parse with source). */
function asWritten(this: unknown, _: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === 'number' ? (context?.source ?? String(value)) : value;
}

function listIn(value: unknown): Readonly<Record<string, unknown>>[] | undefined {
  const lists = Array.isArray(value) ? [value] : Object.values(value ?? {}).filter(Array.isArray);
  const [list] = lists;
  const isRow = (it: unknown): it is Readonly<Record<string, unknown>> => typeof it === 'object' && it !== null;
  return lists.length === 1 && list?.every(isRow) ? list : undefined;
}
