// The largest payments of a file and their payees, for a person to see before "yes".
import type { GoodRow } from '../../files/check-rows.ts';
import { formatMinorUnits, type Money } from '../../gateway/money.ts';
import { withoutCardData } from '../../gateway/redact.ts';
import { payeeNameIn } from '../../payout/message/job.ts';
import { plainTable } from '../plain-table.ts';

const shownOfEach = 3;

interface Shown {
  readonly row: number;
  readonly orderId: string;
  readonly money: Money;
  readonly payee: string;
}

/** Notes rows as they are read; none yet. */
export function createPreview() {
  const largest = new Map<string, Shown[]>();
  return {
    note({ row, job: { orderId, money, context } }: GoodRow): void {
      if (!money || context === undefined) return;
      const known = largest.get(money.currency) ?? [];
      const least = known.length < shownOfEach ? undefined : known.at(-1);
      if (least && least.money.minorUnits >= money.minorUnits) return;
      const payee = payeeNameIn(context);
      if (payee === undefined) return;
      const all = [...known, { row, orderId, money, payee: withoutCardData(payee, '***') }];
      all.sort((a, b) =>
        a.money.minorUnits < b.money.minorUnits ? 1 : a.money.minorUnits > b.money.minorUnits ? -1 : 0,
      );
      largest.set(money.currency, all.slice(0, shownOfEach));
    },
    /** The largest of each currency; empty if no row names its payee. */
    text(): string {
      if (largest.size === 0) return '';
      const rows = [...largest.values()].flat().map(({ row, orderId, money: { minorUnits, currency }, payee }) => {
        return [row, orderId, formatMinorUnits(minorUnits, currency), currency, payee];
      });
      const head = ['row', 'the largest', 'amount', '', 'payee'];
      return `${plainTable(head, ['right', 'left', 'right', 'left', 'left'], rows)}\n\n`;
    },
  };
}
