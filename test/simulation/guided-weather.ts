// Weather that goes where nobody has been: as random as any, but now and then it asks itself what the worst climate would
// do here, and does it where an order that stands so has never met that.
import type { Chance } from './chance.ts';
import type { Coverage } from './coverage.ts';
import { type Fault, watched } from './fault-kinds.ts';
import { type Climate, createRandomWeather } from './random-weather.ts';
import type { Weather } from './weather.ts';

/** Everything happens, each often enough to be drawn soon. */
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

/** So often the worst is thought of. More of it, and no order would come to where it has not been. */
const thoughts = 0.15;

/** Weather of this climate, drawn towards what `coverage` has not seen. */
export function createGuidedWeather(chance: Chance, climate: Climate, coverage: Coverage): Weather {
  const usual = createRandomWeather(chance, climate);
  let drawn: Fault[] = [];
  const wild = watched(createRandomWeather(chance, worst), (fault) => void drawn.push(fault));

  type Question = (...given: never[]) => unknown;
  const guided = (name: keyof Weather): Question => {
    const [asUsual, asWorst] = [usual[name] as Question, wild[name] as Question];
    return (...given) => {
      const answer = asUsual(...given);
      if (!chance.happens(thoughts)) return answer;
      drawn = [];
      const other = asWorst(...given);
      return drawn.some((fault) => coverage.isNew(fault)) ? other : answer;
    };
  };
  const names = Object.keys(usual).filter((name) => name !== 'jitter') as (keyof Weather)[];
  return { ...usual, ...Object.fromEntries(names.map((name) => [name, guided(name)])) };
}
