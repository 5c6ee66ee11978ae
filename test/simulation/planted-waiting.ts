// Planted bugs of waiting rows: each loses a message where a worker is killed, or a call fails, as it parks, pulls, sends or deletes.
import type { WaitingRow } from '../../lib/payout/waiting/waiting-row.ts';
import { type PlantedBug, step } from './planted-steps.ts';
import type { Sabotage, WorldPorts } from './sabotage.ts';

type Rows = WorldPorts['waiting']['rows'];
type Right = typeof import('../../lib/payout/waiting/drain-right.ts');
type Round = typeof import('../../lib/payout/waiting/lines-round.ts');

/** A change between a process and the table. */
const asked = (change: (rows: Rows) => Partial<Rows>): Sabotage => ({
  ports: ({ waiting, ...ports }) => ({
    ...ports,
    waiting: { ...waiting, rows: { ...waiting.rows, ...change(waiting.rows) } },
  }),
});

type Drain = typeof import('../../lib/payout/waiting/drain-lane.ts');

/** The guard against a line that ended too early: the sweeper looks into ended lines, and goes over all waiting rows. */
const nobodyLooksIntoEnded = step('../../lib/payout/waiting/lines-round.ts', ({ linesRound }: Round) => ({
  linesRound({ waiting, ...given }: Parameters<Round['linesRound']>[0]) {
    const { rows, rights } = waiting;
    const all: typeof rights.all = async () =>
      (await rights.all()).filter(({ right }) => right && right !== 'unreadable' && !right.isOver);
    const none: typeof rows.all = async function* () {};
    return linesRound({ ...given, waiting: { ...waiting, rights: { ...rights, all }, rows: { ...rows, all: none } } });
  },
}));

const lost = /vanished|ended without a result|lies nowhere|is stranded/;
const placeOf = ({ key, slot }: Pick<WaitingRow, 'key' | 'slot'>) => `${key}#${slot}`;

/** The bugs of the table of waiting rows. */
export const waitingBugs: readonly PlantedBug[] = [
  {
    name: 'parking: a message is acknowledged though the table did not take it',
    foundBy: 'seeds',
    breaks: lost,
    sabotage: asked((rows) => ({ put: (row) => rows.put(row).catch(() => 'put' as const) })),
  },
  {
    name: 'parking: a message is acknowledged before its row stands',
    foundBy: 'seeds',
    breaks: lost,
    sabotage: asked((rows) => ({
      async put(row) {
        void rows.put(row).catch(() => {});
        return 'put';
      },
    })),
  },
  {
    name: 'parking: a row takes the first place of its order, whoever stands there',
    foundBy: 'seeds',
    breaks: lost,
    sabotage: {
      waiting: (rows, items) => ({
        ...rows,
        async put(row) {
          items.set(placeOf({ key: row.key, slot: 0 }), { ...row, slot: 0 });
          return 'put';
        },
      }),
    },
  },
  {
    name: 'pulling: who takes a row takes it out of the table',
    foundBy: 'seeds',
    breaks: lost,
    sabotage: {
      waiting: (rows, items) => ({
        ...rows,
        async read(place) {
          const row = items.get(placeOf(place));
          items.delete(placeOf(place));
          return row;
        },
      }),
    },
  },
  {
    name: 'pulling: a line whose worker was lost goes on behind what that worker had taken',
    foundBy: 'seeds',
    breaks: /never left the table|waited for two weeks|does not come to rest/,
    steps: [
      step('../../lib/payout/waiting/drain-right.ts', ({ takeUp }: Right) => ({
        takeUp: (...[read, ...said]: Parameters<Right['takeUp']>) => {
          const up = takeUp(read, ...said);
          return up.kind === 'go' && read.right ? { ...up, cursors: read.right.cursors } : up;
        },
      })),
    ],
  },
  {
    name: 'pulling: nobody begins a line anew whose message was lost',
    foundBy: 'seeds',
    breaks: /never left the table|waited for two weeks|does not come to rest/,
    steps: [
      step('../../lib/payout/waiting/lines-round.ts', ({ linesRound }: Round) => ({
        linesRound: (...given: Parameters<Round['linesRound']>) => ({ ...linesRound(...given), run: async () => ({}) }),
      })),
    ],
  },
  {
    name: 'sending: a row that was begun before is taken for sent',
    foundBy: 'seeds',
    breaks: lost,
    sabotage: {
      waiting(rows, items) {
        const begun = new Set<string>();
        return {
          ...rows,
          async read(place) {
            const row = await rows.read(place);
            if (!row) return row;
            if (begun.has(row.nonce)) items.delete(placeOf(place));
            begun.add(row.nonce);
            return row;
          },
        };
      },
    },
  },
  {
    name: 'sending: a row that was looked at and waits is not put back',
    foundBy: 'seeds',
    breaks: lost,
    sabotage: asked((rows) => ({ move: (row) => rows.remove(row) })),
  },
  {
    // Another message of the order must come between its last write and the removal: the contract of the table has that story.
    name: 'deleting: a removal does not ask whose row stands there',
    foundBy: 'any walk',
    breaks: lost,
    sabotage: {
      waiting: (rows, items) => ({ ...rows, remove: async (place) => items.delete(placeOf(place)) }),
    },
  },
  {
    name: 'deleting: a row is removed whatever became of its job',
    foundBy: 'seeds',
    breaks: lost,
    sabotage: asked((rows) => ({
      async read(place) {
        const row = await rows.read(place);
        if (row) await rows.remove(row);
        return row;
      },
    })),
  },
  {
    // The sweeper begins such a line within five minutes, so that it is planted together with one that does not.
    name: 'ending: a line is over at its first empty look, and nobody looks into it',
    foundBy: 'seeds',
    breaks: /never left the table|waited for two weeks|does not come to rest/,
    steps: [
      nobodyLooksIntoEnded,
      step('../../lib/payout/waiting/drain-lane.ts', ({ takeSlice }: Drain) => ({
        takeSlice(word: Parameters<Drain['takeSlice']>[0], ports: Parameters<Drain['takeSlice']>[1]) {
          const { rights, lines } = ports.waiting;
          let isEnded = false;
          const write: typeof rights.write = (lane, next) => {
            const isUnderWay = [...next.cursors.urgent, ...next.cursors.row].some((it) => it !== null);
            isEnded = next.againAtMs !== undefined && !isUnderWay && next.leaseUntilMs > next.nextAtMs;
            return rights.write(lane, isEnded ? { ...next, isOver: true } : next);
          };
          const send: typeof lines.send = async (...asked) => (isEnded ? new Set<number>() : lines.send(...asked));
          return takeSlice(word, {
            ...ports,
            waiting: { ...ports.waiting, rights: { ...rights, write }, lines: { ...lines, send } },
          });
        },
      })),
    ],
  },
  {
    // Two must take up one message as its line ends, which no walk has met yet: test/journey/line-ends.test.ts has that story.
    name: 'pulling: who loses the write of the right drops the message, and nobody looks into what has ended',
    foundBy: 'any walk',
    breaks: /never left the table|waited for two weeks|does not come to rest/,
    steps: [
      nobodyLooksIntoEnded,
      step('../../lib/payout/waiting/drain-lane.ts', ({ takeSlice }: Drain) => ({
        async takeSlice(word: Parameters<Drain['takeSlice']>[0], ports: Parameters<Drain['takeSlice']>[1]) {
          const { rights } = ports.waiting;
          let isLost = false;
          const read: typeof rights.read = async (lane) => {
            if (isLost) throw new Error('somebody else was faster');
            return rights.read(lane);
          };
          const write: typeof rights.write = async (...asked) => {
            const written = await rights.write(...asked);
            isLost = written.kind === 'lost';
            return written;
          };
          const waiting = { ...ports.waiting, rights: { ...rights, read, write } };
          return takeSlice(word, { ...ports, waiting }).catch((error: unknown) => {
            if (!isLost) throw error;
            return { lane: word.lane, heads: [], held: [], caps: {}, isSuspect: false };
          });
        },
      })),
    ],
  },
];
