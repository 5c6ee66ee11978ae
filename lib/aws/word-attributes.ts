// What an order's item holds besides its state: another amount, a reversal, that it is past its horizon.
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import * as v from 'valibot';
import type { ToldWords } from '../payout/order-history.ts';
import { flag, optional, text } from './item-attributes.ts';

type Words = ToldWords & { readonly overdue?: true };

/** What is known besides the state: another amount, `<type> <status> <amount> <ms, base 36>` of a reversal, the horizon. */
export function wordAttributes(it: Words): Record<'gm' | 'rs' | 'od', AttributeValue | undefined> {
  const { gatewayAmount, reversal, overdue } = it;
  const { type = '', status = '', amount = '', atMs = 0 } = reversal ?? {};
  return {
    gm: optional(gatewayAmount),
    rs: optional(reversal && [type, status, amount, atMs.toString(36)].join(' ')),
    od: overdue ? { BOOL: true } : undefined,
  };
}

/** Their schemas. */
export const wordSchemas = { gm: v.exactOptional(text), rs: v.exactOptional(text), od: v.exactOptional(flag) };

/** Reads {@link wordAttributes}. */
export function wordsOf(it: { readonly gm?: string; readonly rs?: string; readonly od?: boolean }): Words {
  const [type = '', status = '', amount = '', at = ''] = (it.rs ?? '').split(' ');
  const atMs = Number.parseInt(at, 36);
  return {
    ...(it.gm !== undefined && { gatewayAmount: it.gm }),
    ...(it.rs !== undefined && { reversal: { type, status, ...(amount !== '' && { amount }), atMs } }),
    ...(it.od === true && { overdue: true }),
  };
}
