// All bugs of the list: those that people thought of (test/world/bugs.txt), and one for each row of the table of outcomes, each
// gate, each finding of an inquiry and each word of a callback. A new row comes to the list by itself.
import { readFileSync } from 'node:fs';
import type { Finding } from '../../lib/gateway/finding.ts';
import { outcomeTable } from '../../lib/gateway/outcome.ts';
import { type PlantedBug, readBugs, type TextEdit } from './planted.ts';

/** The bugs that people thought of. */
export const handmadeBugs = readBugs(readFileSync(new URL('../world/bugs.txt', import.meta.url), 'utf8'));

/** Those of the order's kernel, by the law that they break. */
export const kernelBugs = handmadeBugs.filter(({ law }) => law !== undefined);

const made = (name: string, edit: TextEdit): PlantedBug => ({ name, breaks: /./, isSeldom: false, edits: [edit] });

const judges = {
  file: 'lib/gateway/outcome.ts',
  was: 'const row = outcomeTable.find((candidate) => candidate.fits(view));',
};
const find = 'find((candidate) => candidate.fits(view));';
const rowEdit = (table: string) => ({ ...judges, is: `const row = outcomeTable.${table}.${find}` });
const declines = `{ kind: 'declined', failure: { code: 'UNCLEAR_ANSWER', message: 'planted' } }`;
const sendsAgain = `{ kind: 'not-processed', reason: 'not-sent', failure: { code: 'UNCLEAR_ANSWER', message: 'planted' } }`;
const accepts = `{ kind: 'accepted', gatewayOrderId: '4711' }`;

/** The false outcomes of a row, by its true one. */
function untruthsOf(says: string): readonly (readonly [as: string, outcome: string])[] {
  const declined = ['a decline', declines] as const;
  if (says.startsWith('in doubt')) return [declined, ['"not processed"', sendsAgain]];
  return says.startsWith('declined') ? [['an acceptance', accepts]] : [declined];
}

const rowBugs = outcomeTable.flatMap(({ name, says }, at) => [
  made(`the row "${name}" is missing`, rowEdit(`toSpliced(${at}, 1)`)),
  ...(at === 0
    ? []
    : [
        made(
          `the row "${name}" comes one too early`,
          rowEdit(`toSpliced(${at - 1}, 2, outcomeTable[${at}], outcomeTable[${at - 1}])`),
        ),
      ]),
  ...untruthsOf(says).map(([as, outcome]) =>
    made(
      `the row "${name}" is swapped for ${as}`,
      rowEdit(`with(${at}, { ...outcomeTable[${at}], outcome: () => (${outcome}) })`),
    ),
  ),
]);

const walksGates = { file: 'lib/payout/gates.ts', was: 'row.map(async (name) =>' };
const gates = ['card-data', 'contract', 'approval', 'call-off', 'expiry', 'pause', 'credentials', 'cap'];
const gateBugs = gates.map((gate) => ({
  ...made(`the gate of ${gate} is missing`, {
    ...walksGates,
    is: `row.filter((name) => name !== '${gate}').map(async (name) =>`,
  }),
  // Without credentials every delivery fails, and a random world is long in coming to rest.
  ...(gate === 'credentials' && { foundBy: 'lanes' as const }),
}));

const words: Readonly<Record<string, string>> = {
  approved: `{ kind: 'approved' }`,
  declined: `{ kind: 'declined', failure: { code: 'GATEWAY_DECLINED', message: 'planted' } }`,
  'unknown-order': `{ kind: 'unknown-order' }`,
  unclear: `{ kind: 'unclear', reason: 'planted' }`,
};
const misread: readonly (readonly [Finding['kind'], as: readonly string[]])[] = [
  ['approved', ['declined', 'unclear']],
  ['declined', ['approved', 'unclear']],
  ['reversed', ['approved', 'declined']],
  ['pending', ['approved', 'declined']],
  ['amount-differs', ['approved']],
  ['inconclusive', ['declined', 'approved']],
  ['unknown-order', ['declined', 'unclear']],
  ['credentials-refused', ['unknown-order', 'declined']],
  ['unclear', ['unknown-order', 'declined', 'approved']],
];
const inquiry = { file: 'lib/gateway/inquiry.ts', was: 'export function judgeInquiry(' };
const findingBugs = misread.flatMap(([kind, others]) =>
  others.map((as) =>
    made(`what an inquiry finds ${kind} is taken for ${as}`, {
      ...inquiry,
      is: `export function judgeInquiry(...given) {
  const found = judged(...given);
  return found.kind === '${kind}' ? ${words[as]} : found;
}
function judged(`,
    }),
  ),
);

const callback = {
  file: 'lib/payout/inquire/callback-facts.ts',
  was: 'const says = callbacks.saysOf(callback.status);',
};
const levels = ['seen', 'approved', 'declined'];
const callbackBugs = levels.flatMap((level) =>
  levels
    .filter((as) => as !== level)
    .map((as) =>
      made(`what a callback says is ${level} is taken for ${as}`, {
        ...callback,
        is: `const said = callbacks.saysOf(callback.status); const says = said === '${level}' ? '${as}' : said;`,
      }),
    ),
);

/** All of them. */
export const plantedBugs: readonly PlantedBug[] = [
  ...handmadeBugs,
  ...rowBugs,
  ...gateBugs,
  ...findingBugs,
  ...callbackBugs,
];
