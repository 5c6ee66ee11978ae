// Before money is touched: which stage, and for each merchant whether its money is live or a test's. One notice, which the command
// line prints on standard error and the console shows with what an act will do.
import type { Credentials } from '../gateway/ports.ts';
import { isOwnAddress } from '../local/own-hosts.ts';

/** The stage that was named, or else that of the ledger; undefined in a local run, whose endpoints are on this machine. */
export function stageName(environment: NodeJS.ProcessEnv = process.env): string | undefined {
  const { PAYOUTS_STAGE: stage, AWS_ENDPOINT_URL_DYNAMODB: endpoint, LEDGER_TABLE_NAME: table = '' } = environment;
  if (stage) return `stage ${stage}`;
  if (isOwnAddress(endpoint)) return undefined;
  const [, ofLedger] = /^payouts-(.+?)-ledger/.exec(table) ?? [];
  return ofLedger === undefined ? 'no stage named' : `stage ${ofLedger}`;
}

/** The merchants whose money is touched. For all of them no secret is read: a stop of all must not wait for that. */
type Whose = Iterable<string> | 'every merchant';

/** Live, test, or not known: a person who may not read a secret sees that, and takes it for live. */
type MoneyMode = 'live' | 'test' | 'live or test: the secret could not be read';

async function moneyModeOf(merchant: string, credentials: Pick<Credentials, 'of'>): Promise<MoneyMode> {
  const answer = await credentials.of(merchant).catch(() => undefined);
  return answer?.kind === 'credentials' ? answer.credentials.mode : 'live or test: the secret could not be read';
}

/** As "stage prod · acme-eu: live"; undefined in a local run, which has no money. */
export async function moneyNotice(whose: Whose, credentials: Pick<Credentials, 'of'>): Promise<string | undefined> {
  const stage = stageName();
  if (stage === undefined) return undefined;
  if (whose === 'every merchant') return `${stage} · every merchant: live and test`;
  const modes = new Map<MoneyMode, string[]>();
  for (const merchant of new Set(whose)) {
    const mode = await moneyModeOf(merchant, credentials);
    modes.set(mode, [...(modes.get(mode) ?? []), merchant]);
  }
  return [stage, ...[...modes].map(([mode, names]) => `${names.join(', ')}: ${mode}`)].join(' · ');
}

/** Prints on standard error whose money the command is about to touch; nothing in a local run. */
export async function tellMoney(whose: Whose, credentials: Pick<Credentials, 'of'>): Promise<void> {
  const notice = await moneyNotice(whose, credentials);
  if (notice !== undefined) process.stderr.write(`  ${notice}\n`);
}
