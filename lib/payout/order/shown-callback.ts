// A callback as it is kept on its order and shown to people: status, type, the gateway's id, amount and currency.
import { redact } from '../../gateway/redact.ts';

const textLimit = 96;
const partLimit = 40;

/** The text of a callback, or of its parts that are known. */
export function shownCallback({
  status = '-',
  type = '-',
  gatewayOrderId = '-',
  amount = '-',
  currency = '-',
}: Readonly<Partial<Record<'status' | 'type' | 'gatewayOrderId' | 'amount' | 'currency', string>>>): string {
  const parts = [status.toLowerCase(), type.toLowerCase(), gatewayOrderId, amount, currency];
  return redact(parts.map((part) => part.replaceAll(/[^\w.+-]/g, '?').slice(0, partLimit)).join(' '), []).slice(
    0,
    textLimit,
  );
}
