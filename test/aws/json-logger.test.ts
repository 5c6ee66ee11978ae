import { describe, expect, it } from 'vitest';
import type { Log } from '../../lib/payout/ports.ts';
import { startMs } from '../support/time-and-chance.ts';
import { testCards } from '../support/jobs.ts';
import { createJsonLogger } from '../../lib/aws/cloudwatch-lines.ts';

function aLog(): { log: Log; lines: string[] } {
  const lines: string[] = [];
  return { lines, log: createJsonLogger({ write: (line) => void lines.push(line), nowMs: () => startMs }) };
}

describe('a line of the log', () => {
  it('is one JSON object: time, level, event and the fields given', () => {
    const { log, lines } = aLog();
    log.write('info', 'job', {
      merchant: 'acme-eu',
      orderId: 'INV-1',
      orderKey: 'acme-eu/INV-1',
      attempts: 1,
      disposition: 'done',
    });
    expect(lines).toEqual([
      '{"time":"2026-11-21T10:00:00.000Z","level":"info","event":"job",' +
        '"merchant":"acme-eu","orderId":"INV-1","orderKey":"acme-eu/INV-1","disposition":"done","attempts":1}',
    ]);
  });

  it('never holds a field that is not in the list, whatever slips past the types', () => {
    const { log, lines } = aLog();
    const slip = {
      merchant: 'acme-eu',
      body: `credit_card_number=${testCards.sender}`,
      cardNumber: testCards.sender,
      authorization: 'OAuth oauth_signature="secret"',
      error: new Error(testCards.sender),
      params: { cvv2: '737' },
      ['__proto__']: testCards.sender,
    };
    log.write('warn', 'job', slip);
    expect(lines).toEqual(['{"time":"2026-11-21T10:00:00.000Z","level":"warn","event":"job","merchant":"acme-eu"}']);
  });

  it('stays one line, whatever a field holds', () => {
    const { log, lines } = aLog();
    log.write('info', 'job', { orderId: 'a\nb"c\u2028' });
    expect(lines[0]).not.toContain('\n');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ orderId: 'a\nb"c\u2028' });
  });
});

describe('the log', () => {
  it('does not come between an answer and the ledger when it cannot be written', () => {
    const log = createJsonLogger({
      write: () => {
        throw new Error('EPIPE');
      },
      nowMs: () => startMs,
    });
    expect(() => log.write('error', 'job', {})).not.toThrow();
  });
});

it('names the trace of the invocation, unless a line names its own', () => {
  const lines: string[] = [];
  const log = createJsonLogger({ write: (line) => void lines.push(line), nowMs: () => startMs, traceId: () => '1-a' });
  log.write('info', 'batch', {});
  log.write('info', 'job', { traceId: '1-b' });
  expect(lines.map((line) => JSON.parse(line).traceId)).toEqual(['1-a', '1-b']);
});
