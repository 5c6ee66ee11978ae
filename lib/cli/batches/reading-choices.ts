// What was said of a file on the command line, with what its layout adds.
import type { ReadingChoices } from '../formats/bulk-rows.ts';
import { layoutOf, saveLayout } from '../formats/layouts.ts';
import type { FileReading } from './file-reading.ts';

/** How the file is read. Keeps the layout where that was asked for. Throws UsageError. */
export function choicesOf(reading: FileReading): ReadingChoices {
  const { merchant, operation, endpoint, map, ignore, ignoreOthers, format, sheet, layout } = reading;
  const known = layout === undefined ? undefined : layoutOf(layout);
  const decimal = reading.decimal ?? known?.decimal ?? 'dot';
  const ignored = new Set([...(known?.ignore ?? []), ...ignore]);
  const leavesOthers = ignoreOthers || (known?.ignoreOthers ?? false);
  if (reading.saveLayout !== undefined) {
    const all = { ...known?.map, ...Object.fromEntries(map) };
    saveLayout(reading.saveLayout, { map: all, ignore: [...ignored], ignoreOthers: leavesOthers, decimal });
  }
  return {
    given: {
      ...(merchant !== undefined && { merchant }),
      ...(operation !== undefined && { operation }),
      ...(endpoint !== undefined && { endpointId: endpoint }),
    },
    maps: map,
    ignored,
    ignoreOthers: leavesOthers,
    decimal,
    ...(known && { layout: new Map(Object.entries(known.map)) }),
    ...(known?.check && { check: known.check }),
    ...(sheet !== undefined && { sheet }),
    ...(format && { format }),
  };
}
