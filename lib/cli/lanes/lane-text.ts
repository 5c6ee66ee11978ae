// `payouts lanes` as a person reads it: each lane, and class by class who waits in its line, since when, and until when.
import { plainTable } from '../plain-table.ts';
import { span } from '../quantities.ts';
import { type LaneView, rateText } from '../../payout/pace/lane-view.ts';
import type { LineClass } from '../../payout/pace/lane-state.ts';

/** Every lane, the stopped ones first; under the table, what can be done about each. */
export function lanesAsText(views: readonly LaneView[], nowMs: number): string {
  if (views.length === 0) return 'there is no lane yet: nothing was ever sent\n';
  const head = ['merchant', 'endpoint', 'state', 'pace', 'jobs waiting', 'rows waiting', 'since', 'next probe', 'why'];
  const ordered = views.toSorted((a, b) => Number(goes(a)) - Number(goes(b)));
  const rows = ordered.map((it) => [
    it.merchant,
    it.endpointId,
    it.condition,
    goes(it) ? paceText(it) : '–',
    lineText(it, 'urgent', nowMs),
    lineText(it, 'row', nowMs),
    it.sinceMs === undefined ? '' : `${span(Math.max(0, nowMs - it.sinceMs))} ago`,
    probeText(it, nowMs),
    it.reason,
  ]);
  const table = plainTable(head, ['left', 'left', 'left', 'right', 'right', 'right', 'left', 'left', 'left'], rows);
  const remedies = new Set(
    ordered.flatMap(({ remedy, merchant, endpointId }) =>
      remedy ? [`  ${merchant} at ${endpointId}: ${remedy}`] : [],
    ),
  );
  return `${table}\n${remedies.size > 0 ? `\n${[...remedies].join('\n')}\n` : ''}`;
}

/**
 * The lanes that are stopped or slowed, and of the others the pace, who waits and for how long, where the limit is known or
 * somebody waits; for a line of progress. `left`: so many are still to be sent, more than the lane has heard of; `of all`
 * where the line ends with an estimate of its own.
 */
export function lanesInBrief(views: readonly LaneView[], nowMs: number, left: number | 'of all' = 0): string[] {
  return views.flatMap((it) => {
    const name = `${it.merchant} at ${it.endpointId}`;
    if (!goes(it)) {
      const probe = probeText(it, nowMs);
      return [`${name} ${it.condition}: ${it.reason}${probe === '' ? '' : `, next probe ${probe}`}`];
    }
    const waiting = left === 'of all' ? 0 : Math.max(it.waiting, left);
    const wait = waiting === 0 ? '' : `, about ${waiting} wait, ${span((waiting / it.ratePerSecond) * 1000)} left`;
    const why = it.condition === 'slowed' ? ` slowed: ${it.reason}` : '';
    return wait === '' && why === '' && it.limitPerSecond === undefined ? [] : [`${name} ${paceText(it)}${wait}${why}`];
  });
}

/** The same under a batch, of whose rows so many are still to be sent. */
export const lanesLines = (views: readonly LaneView[], nowMs: number, left: number): string =>
  // Through which of several lanes they will go is not known yet.
  lanesInBrief(views, nowMs, views.length === 1 ? left : 0)
    .map((text) => `  lane      ${text}\n`)
    .join('');

const goes = ({ condition }: LaneView) => condition === 'open' || condition === 'slowed';

/** As in "4.8/s", "120/s, limit 125/s". */
function paceText({ ratePerSecond, limitPerSecond }: Pick<LaneView, 'ratePerSecond' | 'limitPerSecond'>): string {
  const limit = limitPerSecond === undefined ? '' : `, limit ${rateText(limitPerSecond)}`;
  return `${rateText(ratePerSecond)}${limit}`;
}

/** As in "147, oldest 15 min, 3 min left"; one of ten thousand may be longer, and its end later. */
function lineText({ lines }: LaneView, name: LineClass, nowMs: number): string {
  const line = lines.find((it) => it.class === name);
  if (!line) return '0';
  const { rows, isMore, oldestSinceMs, endsAtMs } = line;
  return [
    isMore ? `${rows} or more` : `${rows}`,
    ...(oldestSinceMs === undefined ? [] : [`oldest ${span(Math.max(0, nowMs - oldestSinceMs))}`]),
    ...(endsAtMs === undefined ? [] : [`${isMore ? 'at least ' : ''}${span(endsAtMs - nowMs)} left`]),
  ].join(', ');
}

function probeText({ condition, nextProbeAtMs, waiting }: LaneView, nowMs: number): string {
  if (condition === 'probing') return 'under way';
  if (condition !== 'closed') return '';
  if (nextProbeAtMs === undefined) return 'a person says';
  // Only an order can be the probe.
  if (nextProbeAtMs <= nowMs) return waiting === 0 ? 'with the next order' : 'now';
  return `in ${span(nextProbeAtMs - nowMs)}`;
}
