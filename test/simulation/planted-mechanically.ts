// Planted bugs that nobody chose: made from the tables of the code itself. Each row of the table of outcomes is taken out,
// changes places with its neighbour, or gives another outcome; each gate is taken out; each finding of an inquiry
// is taken for another. A new row of the tables comes to this list by itself.
import type { GatewayOutcome } from '../../lib/gateway/gateway-outcome.ts';
import type { Finding } from '../../lib/gateway/finding.ts';
import { outcomeTable } from '../../lib/gateway/outcome.ts';
import { type PlantedBug, step } from './planted-steps.ts';

type Table = typeof import('../../lib/gateway/outcome.ts');
type Row = (typeof outcomeTable)[number];

const anyPromise = /./;

/** The change of the table of outcomes, by the bug's name. */
export const tableChanges = new Map<string, (rows: readonly Row[]) => readonly Row[]>();

const tableBug = (name: string, change: (rows: readonly Row[]) => readonly Row[]): PlantedBug => ({
  name: changed(name, change),
  foundBy: 'any walk',
  breaks: anyPromise,
  steps: [
    step('../../lib/gateway/outcome.ts', ({ outcomeTable: table }: Table) => {
      // Changed in its place: the judge reads this very list. Each bug is planted into a fresh copy of the module.
      const rows = table as Row[];
      rows.splice(0, rows.length, ...change([...table]));
      return {};
    }),
  ],
});

function changed(name: string, change: (rows: readonly Row[]) => readonly Row[]): string {
  tableChanges.set(name, change);
  return name;
}

const failure = { code: 'UNCLEAR_ANSWER', message: 'planted' } as const;
const saying = (outcome: GatewayOutcome) => (row: Row) => ({ ...row, outcome: () => outcome });
const declines = saying({ kind: 'declined', failure });
const sendsAgain = saying({ kind: 'not-processed', reason: 'not-sent', failure });
const accepts = saying({ kind: 'accepted', gatewayOrderId: '4711' });

/** The false outcomes of a row, by its true one. */
function untruthsOf({ says }: Row): readonly (readonly [as: string, (row: Row) => Row])[] {
  if (says.startsWith('in doubt'))
    return [
      ['a decline', declines],
      ['"not processed"', sendsAgain],
    ];
  if (says.startsWith('accepted')) return [['a decline', declines]];
  return says.startsWith('declined') ? [['an acceptance', accepts]] : [['a decline', declines]];
}

const rowBugs: readonly PlantedBug[] = outcomeTable.flatMap(({ name }, index) => [
  tableBug(`the row "${name}" is missing`, (rows) => rows.filter((row) => row.name !== name)),
  ...(index === 0
    ? []
    : [
        tableBug(`the row "${name}" comes one too early`, (rows) => {
          const [before, row] = [rows[index - 1], rows[index]];
          return before && row ? rows.toSpliced(index - 1, 2, row, before) : rows;
        }),
      ]),
  ...outcomeTable
    .filter((row) => row.name === name)
    .flatMap((row) =>
      untruthsOf(row).map(([as, untruth]) =>
        tableBug(`the row "${name}" is swapped for ${as}`, (rows) =>
          rows.map((it) => (it.name === name ? untruth(it) : it)),
        ),
      ),
    ),
]);

const gateNames = ['card-data', 'approval', 'expiry', 'controls', 'credentials', 'contract'] as const;

const gateBugs: readonly PlantedBug[] = gateNames.map((gate) => ({
  name: `the gate of ${gate} is missing`,
  // Without credentials every delivery fails, and a random world is long in coming to rest.
  foundBy: gate === 'credentials' ? 'lanes' : 'any walk',
  breaks: anyPromise,
  sabotage: { ports: (ports) => ({ ...ports, gates: ports.gates.filter(({ name }) => name !== gate) }) },
}));

type Inquiry = typeof import('../../lib/gateway/inquiry.ts');
const paid: Finding = { kind: 'approved' };
const unpaid: Finding = { kind: 'declined', failure: { code: 'GATEWAY_DECLINED', message: 'planted' } };
const denied: Finding = { kind: 'unknown-order' };
const silent: Finding = { kind: 'unclear', reason: 'planted' };

const findings: readonly (readonly [Finding['kind'], as: string, Finding])[] = [
  ['approved', 'declined', unpaid],
  ['approved', 'unclear', silent],
  ['declined', 'approved', paid],
  ['declined', 'unclear', silent],
  ['reversed', 'approved', paid],
  ['reversed', 'declined', unpaid],
  ['pending', 'approved', paid],
  ['pending', 'declined', unpaid],
  ['amount-differs', 'approved', paid],
  ['inconclusive', 'declined', unpaid],
  ['inconclusive', 'approved', paid],
  ['unknown-order', 'declined', unpaid],
  ['unknown-order', 'unclear', silent],
  ['credentials-refused', 'unknown-order', denied],
  ['credentials-refused', 'declined', unpaid],
  ['unclear', 'unknown-order', denied],
  ['unclear', 'declined', unpaid],
  ['unclear', 'approved', paid],
];

const findingBugs: readonly PlantedBug[] = findings.map(([kind, as, finding]) => ({
  name: `what an inquiry finds ${kind} is taken for ${as}`,
  foundBy: 'any walk',
  breaks: anyPromise,
  steps: [
    step('../../lib/gateway/inquiry.ts', ({ judgeInquiry }: Inquiry) => ({
      judgeInquiry: (...given: Parameters<typeof judgeInquiry>) => {
        const found = judgeInquiry(...given);
        return found.kind === kind ? finding : found;
      },
    })),
  ],
}));

/** The bugs that nobody chose. */
export const mechanicalBugs: readonly PlantedBug[] = [...rowBugs, ...gateBugs, ...findingBugs];
