// The totals of a file, compared with the caps of the day.
import type { WarningKind } from '../../files/row-findings.ts';
import type { Survey } from '../../batches/survey-rows.ts';
import type { Money } from '../../gateway/money.ts';
import { dayCapRows } from '../../gateway/profile-limits.ts';
import { dayCapsOf } from '../../payout/operate/caps.ts';
import type { ToolPorts } from '../tool-ports.ts';

interface Warning {
  readonly kind: WarningKind;
  readonly warning: string;
}

/** The warnings. A merchant whose secret can't be read has none here: its rows have them. */
export async function warningsOfWhole(
  { subtotals }: Survey,
  { credentials, dayTotals, clock }: Pick<ToolPorts, 'credentials' | 'dayTotals' | 'clock'>,
): Promise<Warning[]> {
  const found: Warning[] = [];
  for (const [merchant, sums] of sumsByMerchant(subtotals)) {
    const answer = await credentials.of(merchant);
    if (answer.kind !== 'credentials') continue;
    const { profile } = answer.credentials;
    for (const money of sums) {
      for (const cap of dayCapsOf(merchant, money, profile, clock.nowMs())) {
        const counted = (await dayTotals.totalOf(cap))[cap.kind];
        if (counted + cap.counts <= cap.limit) continue;
        const { text } = dayCapRows[cap.kind];
        const [asked, limit, before] = [cap.counts, cap.limit, counted].map((it) => text(it, money.currency));
        const warning = `${merchant}: the file asks for ${asked}, the cap of the day is ${limit}, of which ${before} are counted already; what is above would wait for the next day`;
        found.push({ kind: 'cap', warning });
      }
    }
  }
  return found;
}

/** Money of several orders. */
type Sum = Money & { readonly orders: bigint };

/** The sums of all operations that move money. */
function sumsByMerchant(subtotals: Survey['subtotals']): ReadonlyMap<string, readonly Sum[]> {
  const sums = new Map<string, Map<string, Sum>>();
  for (const { merchant, currency, minorUnits, count } of subtotals) {
    if (currency === undefined) continue;
    const of = sums.get(merchant) ?? new Map<string, Sum>();
    const before = of.get(currency) ?? { minorUnits: 0n, orders: 0n };
    const sum = { minorUnits: before.minorUnits + minorUnits, orders: before.orders + BigInt(count) };
    sums.set(merchant, of.set(currency, { currency, ...sum }));
  }
  return new Map([...sums].map(([merchant, of]) => [merchant, [...of.values()]]));
}
