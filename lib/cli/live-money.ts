// Before money is touched: which stage, and for each merchant whether its money is live or a test's.
import type { Credentials } from '../gateway/ports.ts';

/** The stage that was named; undefined in a local run, whose endpoints are on this machine; else "no stage named". */
export function stageName(environment: NodeJS.ProcessEnv = process.env): string | undefined {
  const { PAYOUTS_STAGE: stage, AWS_ENDPOINT_URL_DYNAMODB: table = '' } = environment;
  if (stage) return `stage ${stage}`;
  return /\/\/(127\.|localhost|\[::1\])/.test(table) ? undefined : 'no stage named';
}

/** Live, test, or not known: whoever may not read a secret is told so, and takes it for live. */
type MoneyMode = 'live' | 'test' | 'live or test: the secret could not be read';

/** What a merchant's money is. */
export async function moneyModeOf(merchant: string, credentials: Pick<Credentials, 'of'>): Promise<MoneyMode> {
  const answer = await credentials.of(merchant);
  return answer.kind === 'credentials' ? answer.credentials.mode : 'live or test: the secret could not be read';
}

/** Tells on standard error what the command is about to touch; nothing in a local run. */
export async function tellMoney(merchants: Iterable<string>, credentials: Pick<Credentials, 'of'>): Promise<void> {
  const stage = stageName();
  if (stage === undefined) return;
  const modes = new Map<MoneyMode, string[]>();
  for (const merchant of new Set(merchants)) {
    const mode = await moneyModeOf(merchant, credentials);
    modes.set(mode, [...(modes.get(mode) ?? []), merchant]);
  }
  const text = [...modes].map(([mode, names]) => `${names.join(', ')}: ${mode}`).join(' · ');
  process.stderr.write(`  ${stage} · ${text}\n`);
}
