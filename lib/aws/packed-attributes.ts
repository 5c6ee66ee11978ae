// Parts of a ledger entry packed into one attribute each: short, as each byte of an item is paid for with every write.
import { type Failure, isFailureCode } from '../payout/failures.ts';
import { type HistoryLine, type Inquiries, moves, type OrderState } from '../payout/ledger.ts';

const states = Object.keys(moves) as OrderState[];

/** `<count>:<negatives>:<first negative, base 36>:<last asked, base 36>`; older items lack the last. */
export function packedInquiries({ count, negatives, firstNegativeAtMs, askedAtMs }: Inquiries): string {
  const parts = [count, negatives, firstNegativeAtMs?.toString(36) ?? ''];
  return [...parts, ...(askedAtMs === undefined ? [] : [askedAtMs.toString(36)])].join(':');
}

/** Reads {@link packedInquiries}. */
export function unpackedInquiries(text: string): Inquiries {
  const [count, negatives, first = '', asked = ''] = text.split(':');
  return {
    count: Number(count),
    negatives: Number(negatives),
    ...(first !== '' && { firstNegativeAtMs: Number.parseInt(first, 36) }),
    ...(asked !== '' && { askedAtMs: Number.parseInt(asked, 36) }),
  };
}

/** `<state>:<ms after creation, base 36>:<attempts>:<reason>`; reasons are words of ours without spaces or colons. */
export function packedLine({ state, atMs, attempts, reason }: HistoryLine, createdAtMs: number): string {
  return `${states.indexOf(state)}:${(atMs - createdAtMs).toString(36)}:${attempts}:${reason}`;
}

/** Reads {@link packedLine}. */
export function unpackedLine(text: string, createdAtMs: number): HistoryLine | undefined {
  const [state = '', after = '', attempts = '', reason = ''] = text.split(':');
  const named = states[Number(state)];
  return named && { state: named, atMs: createdAtMs + Number.parseInt(after, 36), attempts: Number(attempts), reason };
}

/** Neither code holds a line feed; the message comes last, as it may hold anything. */
export function packedFailure({ code, httpStatus, gatewayCode, message }: Failure): string {
  return [code, httpStatus ?? '', gatewayCode ?? '', message].join('\n');
}

/** Undefined for a code that this version does not know: the entry is then newer code's, and unreadable. */
export function unpackedFailure(text: string): Failure | undefined {
  const [code = '', httpStatus = '', gatewayCode = '', ...message] = text.split('\n');
  if (!isFailureCode(code)) return undefined;
  return {
    code,
    message: message.join('\n'),
    ...(gatewayCode !== '' && { gatewayCode }),
    ...(httpStatus !== '' && { httpStatus: Number(httpStatus) }),
  };
}
