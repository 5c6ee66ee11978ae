// Were my jobs paid? The answer for a batch, a submitted file and a local run.
import { describe, expect, it } from 'vitest';
import { verdictText } from '../../lib/cli/verdict-text.ts';
import { type Payment, verdict, countPayments } from '../../lib/operate/verdict.ts';
import { standingNames } from '../../lib/payout/order/standing.ts';

const place = { secretPrefix: 'payouts/', retry: 'node . retry B FILE' };

function verdictOf(payments: readonly Payment[], expected?: number) {
  const counting = countPayments(place);
  for (const it of payments) counting.add(it);
  return counting.taken(expected);
}

const refused = (order: string, message = 'no such bank'): Payment => ({
  standing: 'declined',
  order,
  failure: { code: 'GATEWAY_REFUSED', message, gatewayCode: '7' },
});

describe('a verdict', () => {
  it('is settled where each payment came to its own end', () => {
    const { settled, next } = verdict({ paid: 3, checked: 1, accepted: 1, cancelled: 1, declined: 1 });
    expect([settled, next]).toEqual([true, []]);
  });

  it('takes no other standing for settled', () => {
    const settled = standingNames.filter((name) => verdict({ [name]: 1 }).settled);
    expect(settled).toEqual(['accepted', 'paid', 'checked', 'declined', 'cancelled']);
  });

  it('is not settled where the gateway declined all of three or more: that is seldom about the payments', () => {
    const { settled, unsettled, next } = verdict({ declined: 3 });
    expect([settled, unsettled]).toEqual([false, 3]);
    expect(next[0]).toMatch(/^The gateway declined every payment/);
  });

  it('counts payments that were expected and not found as not started', () => {
    expect(verdictOf([{ standing: 'paid', order: 'acme/1' }], 3).standings).toEqual({ 'not-started': 2, paid: 1 });
  });

  it('knows what goes on by itself, and what a person must do', () => {
    const { underWay, next } = verdict({ 'in-doubt': 1, held: 2, confirming: 1, 'dead-letter': 1 });
    expect(underWay).toBe(2);
    expect(next.join(' ')).toMatch(/A person must decide: `node \. todo`.*The worker goes on/);
  });
});

describe('why payments were not made', () => {
  it('is counted by standing and code, the most frequent first, with what to do and the first orders', () => {
    // given two refusals in different words, and a message that was refused
    const { reasons, next } = verdictOf([
      refused('acme/1'),
      { standing: 'rejected', order: 'm-1', failure: { code: 'INVALID_MESSAGE', message: 'no JSON' } },
      refused('acme/2', 'no such account'),
    ]);
    // then each reason is one, and others in other words are said
    expect(reasons.map(({ code, payments, orders, andTheLike }) => ({ code, payments, orders, andTheLike }))).toEqual([
      { code: 'GATEWAY_REFUSED', payments: 2, orders: ['acme/1', 'acme/2'], andTheLike: true },
      { code: 'INVALID_MESSAGE', payments: 1, orders: ['m-1'], andTheLike: undefined },
    ]);
    expect(next).toEqual(['Send the unpaid ones again: `node . retry B FILE`.']);
  });

  it('names the merchant and the order in what to do', () => {
    const { reasons } = verdictOf([
      { standing: 'waiting', order: 'acme/1', failure: { code: 'MERCHANT_UNKNOWN', message: 'no secret' } },
      { standing: 'held', order: "acme/it's", failure: { code: 'HELD_UNPROVEN', message: 'no answer' } },
    ]);
    expect(reasons[0]?.remedy).toContain('payouts/$it/acme');
    expect(reasons[1]?.remedy).toContain(`node . order 'acme/it'\\''s'`);
  });
});

describe('as a person reads it', () => {
  it('the answer is the last line', () => {
    expect(verdictText(verdict({ paid: 2, declined: 1 }), 'payout')).toBe('  ✔ all 3 payouts: 2 paid, 1 declined');
    const text = verdictText(
      verdictOf([{ standing: 'paid', order: 'a/1' }, refused('a/2'), { standing: 'sending', order: 'a/3' }]),
      'payout',
    );
    expect(text.split('\n')).toEqual([
      '  why, and what to do',
      '  1 declined · GATEWAY_REFUSED: gateway code 7, no such bank',
      expect.stringContaining('    → '),
      '    a/2',
      '',
      '  The worker goes on with what is under way: look again later.',
      '  Send the unpaid ones again: `node . retry B FILE`.',
      '',
      '  ✘ 1 of 3 payouts is not settled: 1 sending, 1 paid, 1 declined',
    ]);
  });
});
