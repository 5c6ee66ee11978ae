// Weather that goes where no walk has been: as rough as any of its climate, but of the faults that could happen in a moment
// it takes the one that an order in this state has met least often. It adds none where none happens: with more of them, no
// order would come to a new state.
import type { Chance } from './chance.ts';
import type { Coverage } from './coverage.ts';
import { type Fault, watched } from './fault-kinds.ts';
import { allInquiries } from './gateway-looks.ts';
import { allMoods } from './gateway-moods.ts';
import { type Climate, createRandomWeather, habitual, type Habits } from './random-weather.ts';
import type { Weather } from './weather.ts';

/** A climate in which everything happens, each often enough to be drawn soon. */
const worst: Climate = {
  death: 0.3,
  freeze: 0.3,
  ledger: 0.8,
  queue: 0.6,
  secrets: 0.3,
  gateway: 1,
  duplicate: 0.6,
  slow: 0.3,
  newLayout: 0.5,
};

/** The questions with faults enough to choose among; the others come by chance. */
const steered = ['cut', 'ledger', 'queue', 'mood', 'look', 'fate', 'callback'] as const satisfies (keyof Weather)[];

/** So many faults are drawn beside the one that happens: there are over a hundred moods of a gateway. */
const others = 20;
/** Most bugs wait for an answer of the gateway's: it is out of humour at least so often. */
const leastMoody = 0.5;

/** Weather of this climate, drawn towards the faults that `coverage` has seen least. */
export function createGuidedWeather(chance: Chance, climate: Climate, coverage: Coverage): Weather {
  const habits = chance.happens(habitual) ? rarestHabits(chance, coverage) : 'none';
  let drawn: Fault[] = [];
  const noting = (weather: Weather) => watched(weather, (fault) => void drawn.push(fault));
  const usual = noting(
    createRandomWeather(chance, { ...climate, gateway: Math.max(climate.gateway, leastMoody) }, habits),
  );
  const wild = noting(createRandomWeather(chance, worst, habits));

  type Question = (...given: never[]) => unknown;
  /** An answer, and how often the rarest of its faults was seen here; without a fault, Infinity. */
  function asked(question: Question, given: never[]): { readonly answer: unknown; readonly seen: number } {
    drawn = [];
    const answer = question(...given);
    return { answer, seen: Math.min(...drawn.map((fault) => coverage.timesSeen(fault))) };
  }

  const guided = (name: (typeof steered)[number]): Question => {
    const [asUsual, asWorst] = [usual[name] as Question, wild[name] as Question];
    return (...given) => {
      let rarest = asked(asUsual, given);
      const atMost = rarest.seen === Infinity ? 0 : others;
      for (let count = 0; count < atMost && rarest.seen > 0; count += 1) {
        const other = asked(asWorst, given);
        if (other.seen < rarest.seen) rarest = other;
      }
      return rarest.answer;
    };
  };
  return { ...usual, ...Object.fromEntries(steered.map((name) => [name, guided(name)])) };
}

/** The habits that no gateway had yet, or those that were seen least. */
function rarestHabits(chance: Chance, { faults }: Coverage): Habits {
  const rarest = <T extends { readonly name: string }>(kind: string, all: readonly [T, ...T[]]): T => {
    const seen = ({ name }: T) => faults.get(`${kind}: ${name}` as Fault) ?? 0;
    return Array.from({ length: others }, () => chance.pick(all)).reduce(
      (least, it) => (seen(it) < seen(least) ? it : least),
      chance.pick(all),
    );
  };
  return { look: rarest('inquiry', allInquiries), mood: rarest('POST', allMoods) };
}
