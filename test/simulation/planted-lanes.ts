// Planted bugs of pace and brake, found by the worlds of a lane (lane-world.ts): each breaks a rule of infra/docs/lanes.md.
import type { LaneGrant } from '../../lib/payout/lanes/lane.ts';
import { type PlantedBug, step } from './planted-steps.ts';

type Brake = typeof import('../../lib/payout/lanes/lane-brake.ts');
type Pace = typeof import('../../lib/payout/lanes/lane-pace.ts');
type Slots = typeof import('../../lib/payout/lanes/lane-slots.ts');
type Time = typeof import('../../lib/payout/lanes/lane-time.ts');
type Share = typeof import('../../lib/payout/lanes/lane-share.ts');
type Control = typeof import('../../lib/payout/operate/control.ts');
type Dispositions = typeof import('../../lib/payout/submit/disposition.ts');

const brake = (replace: (honest: Brake) => object) => [step('../../lib/payout/lanes/lane-brake.ts', replace)];
const pace = (replace: (honest: Pace) => object) => [step('../../lib/payout/lanes/lane-pace.ts', replace)];
const slots = (replace: (honest: Slots) => object) => [step('../../lib/payout/lanes/lane-slots.ts', replace)];
const time = (replace: (honest: Time) => object) => step('../../lib/payout/lanes/lane-time.ts', replace);
const share = (replace: (honest: Share) => object) => step('../../lib/payout/lanes/lane-share.ts', replace);
const tooMany =
  /requests once it was closed|two probes at a time|probes at|more than \d+ requests|before the gateway's own word/;

/** Bugs of the lanes. */
export const laneBugs: readonly PlantedBug[] = [
  {
    name: 'the item of a lane is written without its condition',
    foundBy: 'lanes',
    breaks: tooMany,
    sabotage: {
      lanes: (lanes, items) => ({
        ...lanes,
        async write({ merchant, endpointId }, next) {
          items.set(`${merchant}/${endpointId}`, JSON.stringify(next));
          return { kind: 'written', atMs: (await lanes.read({ merchant, endpointId })).atMs };
        },
      }),
    },
  },
  {
    name: 'no streak closes a lane',
    foundBy: 'lanes',
    breaks: tooMany,
    steps: brake(({ braked }) => ({
      braked: (...[state, sign, nowMs]: Parameters<Brake['braked']>) => {
        const { closed: _, ...open } = braked(state, sign, nowMs);
        return open;
      },
    })),
  },
  {
    name: 'a failed probe opens the lane',
    foundBy: 'lanes',
    breaks: tooMany,
    steps: brake(({ braked }) => ({
      braked: (...[state, sign, nowMs]: Parameters<Brake['braked']>) => {
        const next = braked(state, sign, nowMs);
        const { closed: _, ...open } = next;
        return sign.probe ? { ...open, openedAtMs: nowMs } : next;
      },
    })),
  },
  {
    name: 'whoever comes to a closed lane is a probe, whether one is under way or not',
    foundBy: 'lanes',
    breaks: new RegExp(`${tooMany.source}|probe twice running`),
    steps: brake(({ takeClosed }) => ({
      takeClosed: (...[before, ask, it]: Parameters<Brake['takeClosed']>) => {
        const { lastProbe: _, ...closed } = before;
        return takeClosed({ ...closed, nextProbeAtMs: it.nowMs }, ask, it, true);
      },
    })),
  },
  {
    name: 'a slot lasts as long as its holder likes',
    foundBy: 'lanes',
    breaks: /after its slot was given/,
    steps: slots(({ take }) => ({
      take: (...asked: Parameters<Slots['take']>) => {
        const taken = take(...asked);
        const endless = <Grant extends LaneGrant>(grant: Grant): Grant =>
          grant.kind === 'slot' ? { ...grant, untilMs: grant.untilMs + 3_600_000 } : grant;
        return { ...taken, grants: taken.grants.map(endless), slots: taken.slots.map(endless) };
      },
    })),
  },
  {
    name: 'whoever froze or died with the probe keeps it',
    foundBy: 'lanes',
    breaks: /ended without a result|dead letters|is never|does not come to rest|waited for two weeks/,
    steps: brake(({ takeClosed }) => ({
      takeClosed: (...asked: Parameters<Brake['takeClosed']>) => {
        const taken = takeClosed(...asked);
        const { lastProbe } = taken.closed;
        return lastProbe
          ? { ...taken, closed: { ...taken.closed, lastProbe: { ...lastProbe, untilMs: 8.64e15 } } }
          : taken;
      },
    })),
  },
  {
    name: 'requests of a worker that died count as under way for ever',
    foundBy: 'lanes',
    breaks: /ended without a result|dead letters|is never|does not come to rest|waited for two weeks/,
    steps: slots(({ take }) => ({
      take: (...asked: Parameters<Slots['take']>) => {
        const taken = take(...asked);
        const flights = Object.entries(taken.next.flights).map(([by, it]) => [by, { ...it, untilMs: 8.64e15 }]);
        return { ...taken, next: { ...taken.next, flights: Object.fromEntries(flights) } };
      },
    })),
  },
  {
    name: "each worker takes its own clock for the lanes' time, and sets right what lies ahead of it",
    foundBy: 'lanes',
    breaks: tooMany,
    steps: [
      time(({ createLaneTime }) => ({
        createLaneTime: (...[clock]: Parameters<Time['createLaneTime']>) => ({
          ...createLaneTime(clock),
          nowMs: clock.nowMs,
        }),
      })),
      share(() => ({ nowOf: ({ time }: Parameters<Share['nowOf']>[0]) => time.nowMs() })),
      ...slots(({ take }) => ({
        take: (...[state, asks, it]: Parameters<Slots['take']>) =>
          take(
            {
              ...state,
              writtenAtMs: Math.min(state.writtenAtMs, it.nowMs),
              cursorMs: state.cursorMs > it.nowMs + 60_000 ? 0 : state.cursorMs,
            },
            asks,
            it,
          ),
      })),
    ],
  },
  {
    name: 'what other workers have under way is not counted',
    foundBy: 'lanes',
    breaks: /requests under way/,
    steps: slots(({ take }) => ({
      take: (...[state, asks, it]: Parameters<Slots['take']>) => take({ ...state, flights: {} }, asks, it),
    })),
  },
  {
    name: 'the order that was the last probe is the next one too',
    isSeldom: true,
    foundBy: 'lanes',
    breaks: /probe twice running/,
    steps: brake(({ takeClosed }) => ({
      takeClosed: (...[closed, ask, it, mayProbe]: Parameters<Brake['takeClosed']>) => {
        const { lastProbe } = closed;
        return takeClosed(
          lastProbe ? { ...closed, lastProbe: { ...lastProbe, order: '' } } : closed,
          ask,
          it,
          mayProbe,
        );
      },
    })),
  },
  {
    name: 'an answer 429 lowers no rate',
    foundBy: 'lanes',
    breaks: tooMany,
    steps: pace(({ learned }) => ({
      learned: (...[state, signs, it]: Parameters<Pace['learned']>) =>
        learned(
          state,
          signs.filter(({ says }) => says !== 'slow-down'),
          it,
        ),
    })),
  },
  {
    name: 'Retry-After is not heeded',
    foundBy: 'lanes',
    breaks: /before the gateway's own word/,
    steps: pace(({ learned }) => ({
      learned: (...asked: Parameters<Pace['learned']>) => ({ ...learned(...asked), notBeforeMs: 0 }),
    })),
  },
  {
    name: 'a job does not wait for its moment',
    foundBy: 'lanes',
    breaks: /before its moment/,
    steps: [
      step('../../lib/payout/operate/control.ts', ({ askControls }: Control) => ({
        askControls: (...[asked, ports]: Parameters<Control['askControls']>) => {
          const { notBeforeMs: _, ...job } = asked;
          return askControls(job, ports);
        },
      })),
    ],
  },
  {
    name: 'who waits for its lane is a failed receive',
    foundBy: 'lanes',
    breaks: /dead letters|was received \d+ times|ended without a result/,
    steps: [
      step('../../lib/payout/submit/disposition.ts', ({ waitSteadily }: Dispositions) => ({
        waitSteadily: (...asked: Parameters<Dispositions['waitSteadily']>) => ({
          kind: 'retry',
          delaySeconds: waitSteadily(...asked).delaySeconds,
        }),
      })),
    ],
  },
];
