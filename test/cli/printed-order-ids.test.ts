// An order id is its sender's, in whatever printable characters. In a command that a person copies it is one word: no shell runs it.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { shownQuestion } from '../../lib/cli/orders/todo.ts';
import { answers, createLooks } from '../../lib/console/pages.ts';
import { commandOf, type Given } from '../../lib/operate/act.ts';
import { actOf, type ActName, sentenceOf } from '../../lib/operate/acts.ts';
import { orderAsText } from '../../lib/cli/orders/order-text.ts';
import { viewOf } from '../../lib/payout/order/projection.ts';
import type { Batch } from '../../lib/batches/batch.ts';
import { aScene } from '../console/support/scene.ts';
import { anOrderThatStands } from '../support/order-that-stands.ts';

const orderId = `INV-1'; touch here; $(touch here) \`touch here\` & "x" > here`;
const order = `acme-eu/${orderId}`;
const reason = 'the bank knows nothing';
const held = viewOf(anOrderThatStands({ orderId, standing: 'held' }));

const aBatchOf = (batchId: string): Omit<Batch, 'state'> => ({
  batchId,
  reading: {},
  fileHash: 'f',
  contentHash: 'c',
  rows: 1,
  totals: {},
  parts: 1,
  by: 'ada',
  createdAtMs: 1,
});

/** Where the shell runs: what an id has made it do is left here, and not in the repository. */
const cwd = mkdtempSync(join(tmpdir(), 'printed-'));
afterAll(() => rmSync(cwd, { recursive: true }));

/** The words that a shell makes of a command, which it does not run. */
function wordsOf(command: string): string[] {
  const asWords = command.replace(/^node /, "printf '%s\\0' ");
  const words = execFileSync('sh', ['-c', asWords], { encoding: 'utf8', cwd }).split('\0');
  if (readdirSync(cwd).length > 0) throw new Error(`a shell ran a part of: ${command}`);
  return words;
}

it.each<[what: string, command: string]>([
  ['a decision in the console', commandOf(actOf('release'), { order, as: 'not-paid', reason })],
  ['a word that it is paid', commandOf(actOf('release'), { order, as: 'paid', reason })],
  ['a cancellation in the console', commandOf(actOf('cancel'), { order, reason })],
  ...shownQuestion({ kind: 'held', entry: held }).commands.map(
    (it) => ['a way out', it.replace(/ {3}# .*/, '')] as [string, string],
  ),
  ...[...orderAsText(held).matchAll(/node \. .*(?= {3}#)|node \. .*/g)].map(
    ([it]) => ['what an order shows', it] as [string, string],
  ),
  [
    'what an approver runs',
    sentenceOf({ kind: 'needs-approver', key: order, decider: 'arn:aws:iam::1:user/jane' })
      .replace(/^.*`(?=node)/s, '')
      .replace(/`; then run.*$/s, ''),
  ],
])('%s', (_, command) => {
  expect(wordsOf(command)).toContain(order);
});

const odd = 'x; touch here';

it('so is what is written for a merchant, a lane, a batch or a message', () => {
  const given: readonly (readonly [ActName, Given])[] = [
    ['cancel', { batch: odd, reason }],
    ['pause', { merchant: odd, reason }],
    ['resume', { merchant: odd, endpoint: odd, reason }],
    ['probe', { merchant: odd, endpoint: odd, reason }],
    ['redrive', { message: odd }],
    ['retry', { batch: odd, file: odd }],
  ];
  for (const [name, it] of given) expect(wordsOf(commandOf(actOf(name), it))).toContain(odd);
});

it('so is the id of a batch, which a registrar can write into the table in whatever characters, where it waits for others', async () => {
  const batch = { ...aBatchOf(odd), state: 'awaiting-approval' } as const;
  const half = { ...aBatchOf(odd), state: 'uploading' } as const;
  const questions = [batch, half].flatMap((it) => shownQuestion({ kind: 'batch', batch: it }).commands);
  const scene = aScene({ batch: async () => ({ batch, tally: [] }) });
  const page = await answers['batch']?.(scene, createLooks(scene.desk.operator), new URLSearchParams({ batch: odd }));
  const { commands } = (page as { readonly value: { readonly commands: readonly string[] } }).value;
  expect([questions.length, commands.length]).toEqual([4, 4]);
  for (const it of [...questions, ...commands]) expect(wordsOf(it)).toContain(odd);
});
