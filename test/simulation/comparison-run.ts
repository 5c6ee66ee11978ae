// npm run compare -- [--seeds 50] [--jobs 20] [--weather bad-day|storm] [--json] [--write]: the table of comparison.ts, or
// one line of JSON; --write puts it into infra/docs/comparison.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { climates, compare, type Comparison, published } from './comparison.ts';
import { tableOf, withComparison } from './comparison-table.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: String(published.seeds) },
    jobs: { type: 'string', default: String(published.jobs) },
    weather: { type: 'string', default: published.weather },
    json: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
});
const isWeather = (name: string): name is Comparison['weather'] => name in climates;
if (!isWeather(values.weather)) throw new Error(`--weather is one of ${Object.keys(climates).join(', ')}`);

const comparison: Comparison = {
  seeds: Number(values.seeds),
  jobs: Number(values.jobs),
  weather: values.weather,
};
const tallies = await compare(comparison);
process.stdout.write(
  values.json ? `${JSON.stringify({ ...comparison, rows: Object.fromEntries(tallies) })}\n` : `${tableOf(tallies)}\n`,
);
if (values.write) {
  const file = new URL('../../infra/docs/comparison.md', import.meta.url);
  writeFileSync(file, withComparison(readFileSync(file, 'utf8'), tableOf(tallies)));
}
